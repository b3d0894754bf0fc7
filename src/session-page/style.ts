/** Both colour schemes, screens of any width, and paper. What colour tells, a sign or a pattern tells as well. */
export const STYLE = `
:root {
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d2129; --soft: #5d6470; --rule: #e3e1dc; --grid: #eeece7;
  --model: #4f63d8; --ok: #178a76; --error: #cf3a3a; --unknown: #b87800; --denied: #7d828c; --agent: #8e4fb5;
  --wait: #e0a100; --worker: #d6336c; --on: #ffffff; --names: 9.5rem;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e8e6e1; --soft: #a0a6b1; --rule: #31353d; --grid: #262a31;
    --model: #8094ff; --ok: #35b89f; --error: #ff7a70; --unknown: #e5a93b; --denied: #9096a1; --agent: #c48ce6;
    --wait: #f0bd3a; --worker: #ff7aa8; --on: #10131a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 82rem; margin: 0 auto; padding: 2rem 1.5rem 3rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: .1rem 0 .5rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h3 { font-size: .8rem; margin: 1.4rem 0 .3rem; color: var(--soft); font-weight: 600; }
h2 .number { color: var(--soft); font-weight: 500; margin-right: .4rem; }
code { font: .92em/1.4 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
.brand { margin: 0; color: var(--soft); font-size: .8rem; font-weight: 600; letter-spacing: .04em; }
.about { margin: .15rem 0; color: var(--soft); font-size: .9rem; }
.status { display: inline-block; padding: .05rem .55rem; margin-right: .3rem; border-radius: 1rem; font-weight: 600; font-size: .8rem; border: 1px solid currentColor; }
.status.ok { color: var(--ok); } .status.error { color: var(--error); } .status.running { color: var(--model); } .status.waiting { color: var(--unknown); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin: 1.2rem 0 1rem; }
.tiles div { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .6rem .9rem; }
.tiles dt { color: var(--soft); font-size: .8rem; }
.tiles dd { margin: 0; font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles small { display: block; font-size: .78rem; font-weight: 400; color: var(--soft); line-height: 1.35; }
.gaps { border-left: 3px solid var(--wait); background: var(--card); padding: .5rem .9rem; margin: 1rem 0; font-size: .9rem; }
.gaps p { margin: .2rem 0; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; padding: 0; margin: 1rem 0 0; font-size: .8rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: .35rem; }
.legend .bar { position: relative; width: 1.1rem; height: .75rem; top: 0; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: .8rem; padding: 1.1rem 1.2rem; margin-top: 1.4rem; }
.piece { content-visibility: auto; contain-intrinsic-size: auto 14rem; }
.strip { margin: .8rem 0 .6rem; font-size: 11.5px; }
.lanes { position: relative; }
.lane { display: grid; grid-template-columns: var(--names) minmax(0, 1fr); align-items: center; min-height: 24px; }
.lane .name { color: var(--soft); padding-right: .7rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane.sub .name { padding-left: .9rem; color: var(--agent); }
.lane.sub .name:not(:empty)::before { content: "↳ "; }
.track { position: relative; height: 24px; }
.axis { min-height: 18px; color: var(--soft); font-variant-numeric: tabular-nums; }
.axis .track { height: 18px; }
.axis .track i { position: absolute; font-style: normal; white-space: nowrap; transform: translateX(-1px); }
.over { position: absolute; inset: 0 0 0 var(--names); pointer-events: none; }
.over i { position: absolute; top: 0; bottom: 0; font-style: normal; }
.over .grid { border-left: 1px solid var(--grid); }
.over .line { border-left: 1.5px dashed var(--soft); }
.over .line.worker { border-color: var(--worker); border-left-style: solid; }
.over .line.retry, .over .line.notice { border-color: var(--unknown); }
.over .line.message { border-color: var(--model); }
.over .pause { background: color-mix(in srgb, var(--wait) 16%, transparent); }
.over .pause b { position: absolute; bottom: 0; left: .3rem; font-weight: 600; color: var(--unknown); }
.over .cut { z-index: 3; background: repeating-linear-gradient(115deg, var(--card) 0 6px, var(--grid) 6px 8px); border: solid var(--rule); border-width: 0 1px; opacity: .9; }
.over .cut b { position: absolute; top: 50%; left: 50%; transform: translate(-50%, -50%); background: var(--card); border-radius: .4rem; padding: 0 .35rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
.bar { --own: var(--denied); position: absolute; top: 3px; height: 18px; border-radius: 4px; background: var(--own); color: var(--on); text-decoration: none; z-index: 1; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar b { position: absolute; inset: 0; padding: 0 .35rem; line-height: 18px; font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar.beside b { left: 100%; right: auto; overflow: visible; color: var(--ink); }
.bar i { position: absolute; top: 0; bottom: 0; border-radius: 4px; }
.bar:hover, .bar:focus-visible { filter: brightness(1.12); z-index: 4; }
.model { --own: var(--model); } .ok { --own: var(--ok); } .error { --own: var(--error); } .unknown { --own: var(--unknown); }
.denied { --own: var(--denied); } .message { --own: var(--soft); } .worker { --own: var(--worker); }
.bar.agent { --own: var(--agent); } .bar.waiting { --own: var(--wait); }
.bar.model.discarded, .bar.model.lost { background: repeating-linear-gradient(45deg, var(--error) 0 4px, var(--card) 4px 7px); border: 1px solid var(--error); }
.bar.compaction { background: repeating-linear-gradient(0deg, var(--model) 0 3px, color-mix(in srgb, var(--model) 60%, var(--card)) 3px 6px); }
.bar.running { background: linear-gradient(90deg, var(--model), color-mix(in srgb, var(--model) 35%, var(--card))); }
.bar.unknown { background: repeating-linear-gradient(45deg, var(--unknown) 0 6px, color-mix(in srgb, var(--unknown) 75%, var(--card)) 6px 9px); }
.bar.denied, .bar.none { background: repeating-linear-gradient(-45deg, var(--denied) 0 5px, color-mix(in srgb, var(--denied) 70%, var(--card)) 5px 8px); }
.bar i.wait, .bar.waiting { background: repeating-linear-gradient(45deg, var(--wait) 0 5px, color-mix(in srgb, var(--wait) 55%, var(--card)) 5px 9px); }
.bar i.lost { inset-block: 0; background: repeating-linear-gradient(45deg, color-mix(in srgb, var(--card) 30%, transparent) 0 3px, transparent 3px 8px); border-right: 2px solid var(--worker); }
.legend i.lost { left: 0; width: 70%; }
.bar.mark { background: none; height: 18px; min-width: 2px; }
.bar.mark b { left: 0; color: var(--soft); }
.bar.mark.worker b { color: var(--worker); font-weight: 650; }
.bar.mark.retry b, .bar.mark.notice b { color: var(--unknown); }
.bar.mark:has(b:empty) { background: var(--own); border-radius: 1px; }
details { margin-top: .3rem; }
summary { cursor: pointer; color: var(--soft); font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: .4rem; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .22rem .55rem; white-space: nowrap; vertical-align: top; font-weight: inherit; }
thead th { color: var(--soft); font-size: .78rem; border-bottom: 1px solid var(--rule); }
th:last-child, .said { text-align: left; white-space: normal; width: 60%; min-width: 18rem; overflow-wrap: anywhere; }
tr.turn > * { border-top: 1px solid var(--rule); }
tr.turn th { font-weight: 650; }
tr.call td, tr.agent td { color: var(--soft); }
tr.call .said strong, tr.call .said code { color: var(--ink); }
tr.agent > td { text-align: left; }
tr:target > * { background: color-mix(in srgb, var(--wait) 22%, transparent); }
.chip { display: inline-block; padding: 0 .4rem; border-radius: .3rem; color: var(--own); border: 1px solid color-mix(in srgb, var(--own) 45%, transparent); font-size: .78rem; font-weight: 600; }
.chip.running, .chip.none { --own: var(--soft); }
em { color: var(--unknown); font-style: normal; }
em::before { content: "· "; }
.failure { color: var(--error); font-size: .84rem; margin: .1rem 0 0; overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: .82rem; margin-top: 1.6rem; }
@media (max-width: 44rem) { :root { --names: 4.5rem; } main { padding: 1rem .6rem; } section { padding: .8rem .7rem; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  body { background: #fff; font-size: 10.5px; } main { max-width: none; padding: 0; }
  section, .tiles div { border-color: #ccc; } .strip, tr { break-inside: avoid; }
  .piece { content-visibility: visible; }
  details::details-content { content-visibility: visible; height: auto; }
}
`;
