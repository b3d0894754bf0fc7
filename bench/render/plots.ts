import { toSvg, type Series } from '../../src/bench/render/svg-plot';
import type { PeersReport, TurnsMeasured } from '../measured';

const COLORS = [
  '#0969da',
  '#57606a',
  '#cf222e',
  '#bf8700',
  '#8250df',
  '#1a7f37',
  '#bc4c00',
] as const;
const X_TICKS = [10, 30, 100, 300, 1_000] as const;

type Points = Series['points'];

/** File names and contents. */
export function toPlots(
  report: Pick<PeersReport, 'startedAt' | 'turns'>,
): readonly { readonly file: string; readonly svg: string }[] {
  const { startedAt, turns } = report;
  const subtitle = `One-tool turns, 5 KB a result, all on one machine, ${startedAt.slice(0, 10)}. A line that stops: see the page.`;
  const bytes = seriesOf(turns, (runs) =>
    runs.map((run) => [run.turns, run.engineKB + run.besideKB]),
  );
  const ms = seriesOf(turns, (runs) => longestOf(runs).windows);
  const common = { subtitle, xTicks: X_TICKS, yScale: 'log' as const };
  return [
    {
      file: 'peers-bytes.svg',
      svg: toSvg({
        ...common,
        title: 'Stored a turn, KB, average over a run of n turns (history and own files)',
        xTitle: 'turns of the run',
        yTicks: decades(bytes),
        series: bytes,
      }),
    },
    {
      file: 'peers-ms.svg',
      svg: toSvg({
        ...common,
        title: 'Time a turn, ms, median of ten turns',
        xTitle: 'turn',
        yTicks: decades(ms),
        series: ms,
      }),
    },
  ];
}

function seriesOf(
  turns: readonly TurnsMeasured[],
  pointsOf: (runs: readonly TurnsMeasured[]) => Points,
): Series[] {
  const names = [...new Set(turns.map(({ entrant }) => entrant))];
  return names.map((name, index) => ({
    name,
    color: COLORS[index % COLORS.length] ?? COLORS[0],
    isDashed: index > 0,
    points: pointsOf(turns.filter(({ entrant }) => entrant === name)).filter(([x]) => x >= 5),
  }));
}

/** The run that got farthest; runs are never none. */
const longestOf = (runs: readonly TurnsMeasured[]): TurnsMeasured =>
  runs.reduce((longest, run) => (run.turns > longest.turns ? run : longest));

/** 1, 3, 10, 30, ... around all values. */
function decades(series: readonly Series[]): readonly number[] {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const from = Math.floor(Math.log10(least));
  const ticks: number[] = [];
  for (let exponent = from; ; exponent += 1) {
    for (const digit of [1, 3]) {
      ticks.push(digit * 10 ** exponent);
      if (digit * 10 ** exponent >= most) return ticks.filter((tick) => tick * 3 > least);
    }
  }
}
