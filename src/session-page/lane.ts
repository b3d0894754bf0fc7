import { html, type Html } from './html';

/** Something on a lane. Places are percent of the width. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  /** Classes of the style sheet: ours, never a text of the session. */
  readonly look: string;
  /** Short; shown where there is room. */
  readonly label: string;
  /** Everything; for who points at it, and for who listens. */
  readonly title: string;
  /** Id of the row of the table that tells more; null: none does. */
  readonly row: string | null;
  /** What is drawn in it: where it waited, or was lost. */
  readonly inner: readonly Stretch[];
}

type Stretch = Pick<Bar, 'from' | 'to' | 'look'>;

export interface Lane {
  readonly name: string;
  /** How deep a sub-agent works; 0: it is none. */
  readonly depth: number;
  readonly bars: readonly Bar[];
}

/** Shorter than that nobody sees it. */
const LEAST_PERCENT = 0.35;
/** Of a character, on a page of usual width. */
const CHARACTER_PERCENT = 0.74;
const LABEL_CHARS = 26;
/** Lanes that names beside short bars may cost. */
const MORE_LANES = 3;

/** Bars that overlap come to lie in lanes of their own, in as few as possible; next to a short bar there is room for its
 *  name, as long as that does not take many more lanes. */
export function pack(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const close = packBy(bars, endOf);
  const roomy = packBy(bars, endWithLabel);
  return roomy.length <= close.length + MORE_LANES ? roomy : close;
}

const endOf = ({ from, to }: Bar): number => Math.max(to, from + LEAST_PERCENT) + 0.1;
const endWithLabel = (bar: Bar): number =>
  isRoomInside(bar) ? endOf(bar) : endOf(bar) + widthOf(bar.label);
const widthOf = (label: string): number =>
  (Math.min(label.length, LABEL_CHARS) + 1.5) * CHARACTER_PERCENT;
const isRoomInside = ({ from, to, label }: Bar): boolean =>
  to - from >= Math.min(widthOf(label), 9 * CHARACTER_PERCENT);

function packBy(bars: readonly Bar[], end: (bar: Bar) => number): readonly (readonly Bar[])[] {
  const lanes: { bars: Bar[]; end: number }[] = [];
  for (const bar of [...bars].sort((a, b) => a.from - b.from)) {
    let lane = lanes.find((one) => one.end <= bar.from);
    if (lane === undefined) lanes.push((lane = { bars: [], end: 0 }));
    lane.bars.push(bar);
    lane.end = end(bar);
  }
  return lanes.map((lane) => lane.bars);
}

export function laneHtml({ name, depth, bars }: Lane): Html {
  const shown = bars.map((bar, index) => barHtml(bar, bars[index + 1]?.from ?? 100));
  const indent = depth === 0 ? '' : ' sub';
  return html`<div class="lane${indent}">
    <span class="name" title="${name}">${name}</span>
    <div class="track">${shown}</div>
  </div> `;
}

/** `room`: where the next bar begins. */
function barHtml(bar: Bar, room: number): Html {
  const { from, to, look, title, row } = bar;
  const width = Math.max(to - from, LEAST_PERCENT);
  const style = `left:${percent(from)};width:${percent(Math.min(width, 100 - from))}`;
  const place = isRoomInside(bar) ? '' : ' beside';
  const inside = html`${bar.inner.map((one) => stretchHtml(one, bar))}<b>${labelOf(bar, room)}</b>`;
  return row === null
    ? html`<span class="bar ${look}${place}" style="${style}" title="${title}">${inside}</span>`
    : html`<a
        class="bar ${look}${place}"
        style="${style}"
        href="#${row}"
        title="${title}"
        aria-label="${title}"
        >${inside}</a
      >`;
}

function stretchHtml({ from, to, look }: Stretch, bar: Bar): Html {
  const all = Math.max(bar.to - bar.from, LEAST_PERCENT);
  const share = (place: number): string => percent((100 * place) / all);
  return html`<i
    class="${look}"
    style="left:${share(from - bar.from)};width:${share(to - from)}"
  ></i>`;
}

function labelOf(bar: Bar, room: number): string {
  if (isRoomInside(bar)) return bar.label;
  const fits = Math.floor((room - endOf(bar)) / CHARACTER_PERCENT - 1.5);
  const most = Math.min(LABEL_CHARS, fits);
  if (bar.label.length <= most) return bar.label;
  return most < 4 ? '' : `${bar.label.slice(0, most - 1)}…`;
}

export const percent = (place: number): string => `${place.toFixed(2)}%`;
