import { rounded } from '../render/report-table';
import type { Stretch } from './stretch';

const COLUMNS: readonly (readonly [title: string, cell: (stretch: Stretch) => string])[] = [
  ['turn', ({ turn }) => String(turn)],
  ['ms/turn', ({ turnMs }) => rounded(turnMs.median)],
  ['p95', ({ turnMs }) => rounded(turnMs.p95)],
  ['Worker MB', ({ workerMB }) => rounded(workerMB)],
  ['server MB', ({ serverMB }) => rounded(serverMB)],
  ['State bytes', ({ carried }) => String(carried?.state ?? '')],
  ['input bytes', ({ carried }) => String(carried?.input ?? '')],
  ['compactions', ({ compactions }) => String(compactions)],
  ['rollovers', ({ rollovers }) => String(rollovers)],
  ['events/turn', ({ perTurn }) => (perTurn === null ? '' : rounded(perTurn.events))],
  ['KB/turn', ({ perTurn }) => (perTurn === null ? '' : rounded(perTurn.bytes / 1_000))],
  ['request KB', ({ requestKB }) => rounded(requestKB)],
];

/** Titles that are shorter than their figures get room. */
const NARROWEST = 6;
const padded = (title: string, text: string): string =>
  text.padStart(Math.max(title.length, NARROWEST));

export const tableHead = (): string => COLUMNS.map(([title]) => padded(title, title)).join('  ');

export const tableLine = (stretch: Stretch): string =>
  COLUMNS.map(([title, cell]) => padded(title, cell(stretch))).join('  ');

/** The last line against the first: what grew. */
export function toSummary(stretches: readonly Stretch[], seconds: number): string {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return 'Stopped before the first figures.';
  const ratio = rounded(last.turnMs.median / first.turnMs.median);
  const growth = rounded(last.workerMB - first.workerMB);
  const largest = Math.max(...stretches.map(({ carried }) => carried?.state ?? 0));
  return [
    `${last.turn} turns in ${rounded(seconds)} s, ${last.compactions} compactions, ${last.rollovers} rollovers.`,
    `Time a turn at the end / at the beginning: ${ratio} (${rounded(last.turnMs.median)} ms / ${rounded(first.turnMs.median)} ms).`,
    `Worker memory: ${rounded(first.workerMB)} MB at turn ${first.turn}, ${rounded(last.workerMB)} MB at turn ${last.turn} (${growth} MB more).`,
    `Largest State: ${largest} bytes.`,
  ].join('\n');
}
