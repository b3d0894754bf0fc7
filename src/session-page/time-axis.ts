import { durationText } from './figures';

/** From instants to places, in percent of the width. Long stretches in which nothing begins or ends are cut short, so
 *  that a wait of days does not hide the seconds around it. */
export interface TimeAxis {
  place(ms: number): number;
  /** Stretches that are cut short. */
  readonly cuts: readonly Cut[];
  readonly ticks: readonly Tick[];
}

export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

export interface Tick {
  readonly at: number;
  /** Since `zeroMs`: "2.5 s", as exact as the distance between ticks asks for. */
  readonly text: string;
}

/** What is left at the end, for a bar that is too short to be seen otherwise. */
const MARGIN_PERCENT = 1;
const CUT_PERCENT = 7;
const MOST_CUTS = 4;
/** A stretch is cut if it is so many times as long as all that is not cut. */
const CUT_FROM_TIMES = 2;
const SHORTEST_CUT_MS = 5_000;

/** `edges`: when something begins or ends. `zeroMs`: what ticks count from. */
export function timeAxis(edges: readonly number[], zeroMs: number): TimeAxis {
  const sorted = [...new Set(edges)].sort((a, b) => a - b);
  const from = sorted[0] ?? 0;
  const to = Math.max(sorted.at(-1) ?? 0, from + 1);
  const stretches = stretchesOf(sorted, to);
  const cut = cutStretches(stretches, to - from);
  const rest = to - from - sumOf(cut);
  const perMs = (100 - MARGIN_PERCENT - cut.size * CUT_PERCENT) / Math.max(rest, 1);
  const pieces: Piece[] = [];
  let at = 0;
  for (const stretch of stretches) {
    const ms = stretch.to - stretch.from;
    const isCut = cut.has(stretch);
    const end = at + (isCut ? CUT_PERCENT : ms * perMs);
    pieces.push({ ...stretch, at, end, isCut });
    at = end;
  }
  return {
    place: (ms) => placeIn(pieces, ms),
    cuts: pieces.flatMap(({ isCut, at: start, end, from: begun, to: ended }) =>
      isCut ? [{ from: start, to: end, ms: ended - begun }] : [],
    ),
    ticks: ticksOf(pieces, zeroMs),
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface Piece extends Stretch {
  readonly at: number;
  readonly end: number;
  readonly isCut: boolean;
}

const stretchesOf = (sorted: readonly number[], to: number): readonly Stretch[] =>
  sorted.map((from, index) => ({ from, to: sorted[index + 1] ?? to }));

function cutStretches(stretches: readonly Stretch[], all: number): ReadonlySet<Stretch> {
  const cut = new Set<Stretch>();
  const longest = [...stretches].sort((a, b) => b.to - b.from - (a.to - a.from));
  let rest = all;
  for (const stretch of longest.slice(0, MOST_CUTS)) {
    const ms = stretch.to - stretch.from;
    if (ms < SHORTEST_CUT_MS || ms < CUT_FROM_TIMES * (rest - ms)) break;
    cut.add(stretch);
    rest -= ms;
  }
  return cut;
}

const sumOf = (stretches: ReadonlySet<Stretch>): number =>
  [...stretches].reduce((sum, { from, to }) => sum + to - from, 0);

function placeIn(pieces: readonly Piece[], ms: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.from ?? 0) <= ms) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  if (piece === undefined) return 0;
  const share = (ms - piece.from) / Math.max(piece.to - piece.from, 1);
  return piece.at + Math.min(Math.max(share, 0), 1) * (piece.end - piece.at);
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];
const LONGEST_STEP_MS = 7 * 86_400_000;
const LEAST_BETWEEN_TICKS = 11;

/** At round times, none in what is cut short. */
function ticksOf(pieces: readonly Piece[], zeroMs: number): readonly Tick[] {
  const shown = pieces.filter(({ isCut }) => !isCut);
  const perMs = Math.max(
    ...shown.map((one) => (one.end - one.at) / Math.max(one.to - one.from, 1)),
  );
  const step = STEPS_MS.find((ms) => ms * perMs >= LEAST_BETWEEN_TICKS) ?? LONGEST_STEP_MS;
  const ticks: Tick[] = [];
  for (const piece of shown) {
    const first = Math.ceil((piece.from - zeroMs) / step) * step;
    for (let ms = first; ms <= piece.to - zeroMs; ms += step) {
      const at = placeIn([piece], zeroMs + ms);
      if (at > 95 || at - (ticks.at(-1)?.at ?? -100) < LEAST_BETWEEN_TICKS / 2) continue;
      ticks.push({ at, text: tickText(ms, step) });
    }
  }
  return ticks;
}

function tickText(ms: number, step: number): string {
  if (ms === 0) return '0';
  if (step >= 1_000 || ms >= 3_600_000) return durationText(ms);
  const digits = step >= 100 ? 1 : step >= 10 ? 2 : 3;
  const min = Math.floor(ms / 60_000);
  const s = ((ms % 60_000) / 1_000).toFixed(digits);
  return min === 0 ? `${s} s` : `${min} min ${s} s`;
}
