import { counted, durationText, instantText } from './figures';
import type { Span } from './facts';
import { html, type Html } from './html';
import { laneHtml, percent } from './lane';
import { edgesOf, lanesOf, type Piece } from './strip-lanes';
import { timeAxis, type Cut, type Tick, type TimeAxis } from './time-axis';

/** The timeline of a piece of a query. Lanes of one picture share the time axis: what overlaps there has overlapped. */
export function stripHtml(piece: Piece): Html {
  const { turns, query, marks, nowMs } = piece;
  const edges = edgesOf(piece);
  const axis = timeAxis(edges, query.fromMs);
  const beginMs = Math.min(...edges);
  const endMs = Math.max(...edges);
  const pauses = query.pauses.filter(
    ({ fromMs, toMs }) => fromMs <= endMs && (toMs ?? nowMs) >= beginMs,
  );
  const name = `Timeline of ${counted(turns.length, 'turn')} from ${instantText(beginMs)}, ${durationText(endMs - beginMs)} long`;
  return html`<figure class="strip" role="group" aria-label="${name}">
    <div class="lane axis" aria-hidden="true">
      <span class="name"></span>
      <div class="track">${axis.ticks.map(tickHtml)}</div>
    </div>
    <div class="lanes">
      <div class="over" aria-hidden="true">
        ${axis.ticks.map(gridHtml)}${pauses.map((one) => pauseHtml(one, axis, nowMs))}${marks.map(({ atMs, type }) => html`<i class="line ${type}" style="left:${percent(axis.place(atMs))}"></i>`)}${axis.cuts.map(cutHtml)}
      </div>
      ${lanesOf(piece, axis).map(laneHtml)}
    </div>
  </figure> `;
}

export const tickHtml = ({ at, text }: Tick): Html =>
  html`<i style="left:${percent(at)}">${text}</i>`;

const gridHtml = ({ at }: Tick): Html => html`<i class="grid" style="left:${percent(at)}"></i>`;

export const cutHtml = ({ from, to, ms }: Cut): Html =>
  html`<i class="cut" style="left:${percent(from)};width:${percent(to - from)}"
    ><b>${durationText(ms)}</b></i
  >`;

function pauseHtml({ fromMs, toMs }: Span, axis: TimeAxis, nowMs: number): Html {
  const [from, to] = [axis.place(fromMs), axis.place(toMs ?? nowMs)];
  return html`<i class="pause" style="left:${percent(from)};width:${percent(to - from)}"
    ><b>paused</b></i
  >`;
}
