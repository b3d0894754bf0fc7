import type { QueryFacts, Span } from './facts';
import { html, type Html } from './html';
import { laneHtml, type Bar, type Lane } from './lane';
import { queryId } from './row-id';
import type { ShownWords } from './shown-words';
import { timeAxis, type TimeAxis } from './time-axis';
import { cutHtml, tickHtml } from './strip';
import { runningOf, unionOf, withSubAgents } from './totals';

/** Closer than that, in percent of the width, stretches are drawn as one: a page of any session has at most some hundred
 *  of them. */
const LEAST_GAP = 0.4;

/** The whole session on one axis: when the model was asked, when tools ran, when it waited for people. */
export function overviewHtml(
  queries: readonly QueryFacts[],
  { words, nowMs }: { readonly words: ShownWords; readonly nowMs: number },
): Html {
  const all = queries.flatMap(withSubAgents);
  const calls = all.flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
  const asked = all.flatMap(({ turns }) => turns.flatMap((turn) => turn.requests));
  const waited = [...calls.flatMap(({ waits }) => waits), ...all.flatMap(({ pauses }) => pauses)];
  const edges = [...queries, ...asked, ...calls, ...waited];
  const axis = timeAxis(
    edges.flatMap(({ fromMs, toMs }) => [fromMs, toMs ?? nowMs]),
    queries[0]?.fromMs ?? 0,
  );
  const lanes: readonly Lane[] = [
    { name: 'messages', depth: 0, bars: queries.map((one, index) => queryBar(one, index, words)) },
    laneOf('model', 'model committed', asked),
    laneOf('tools', 'tool ok', calls.flatMap(runningOf)),
    ...(waited.length === 0 ? [] : [laneOf('waiting', 'tool waiting', waited)]),
    ...marksOf(all, axis),
  ];
  return html`<section aria-labelledby="overview">
    <h2 id="overview">The whole session</h2>
    <figure class="strip" role="group" aria-label="Timeline of the whole session">
      <div class="lane axis" aria-hidden="true">
        <span class="name"></span>
        <div class="track">${axis.ticks.map(tickHtml)}</div>
      </div>
      <div class="lanes">
        <div class="over" aria-hidden="true">${axis.cuts.map(cutHtml)}</div>
        ${lanes.map(laneHtml)}
      </div>
    </figure>
  </section> `;

  function queryBar(query: QueryFacts, index: number, own: ShownWords): Bar {
    const said = own.of(query).text(query.prompt ?? '');
    const label = `${index + 1} ${said}`.trim();
    const [from, to] = [axis.place(query.fromMs), axis.place(query.toMs ?? nowMs)];
    const row = queryId(index);
    return { from, to, look: 'message', label, title: `message ${label}`, row, inner: [] };
  }

  function laneOf(name: string, look: string, spans: readonly Span[]): Lane {
    const bars: Bar[] = [];
    for (const { fromMs, toMs } of unionOf(spans, nowMs)) {
      const [from, to] = [axis.place(fromMs), axis.place(toMs)];
      const last = bars.at(-1);
      if (last !== undefined && from - last.to < LEAST_GAP) bars.splice(-1, 1, { ...last, to });
      else bars.push({ from, to, look, label: '', title: name, row: null, inner: [] });
    }
    return { name, depth: 0, bars };
  }
}

/** Only what changes who works, and what went wrong. */
function marksOf(queries: readonly QueryFacts[], axis: TimeAxis): readonly Lane[] {
  const bars: Bar[] = [];
  const marks = queries
    .flatMap((query) => query.marks)
    .filter(({ type }) => type !== 'notice' && type !== 'message')
    .sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, type, label } of marks) {
    const from = axis.place(atMs);
    if (from - (bars.at(-1)?.from ?? -1) < LEAST_GAP) continue;
    const bar = { from, to: from, look: `mark ${type}`, label: '', title: label };
    bars.push({ ...bar, row: null, inner: [] });
  }
  return bars.length === 0 ? [] : [{ name: 'events', depth: 0, bars }];
}
