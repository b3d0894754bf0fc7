import { PEERS, PEERS_MEASURED_ON, type Peer } from '../peers';
import type { Curve, Report } from '../report';
import { toSvg, type Series } from './svg-plot';

const OURS = ['#0969da', '#8250df', '#57606a'] as const;
const THEIRS = ['#cf222e', '#bf8700', '#1a7f37'] as const;
const TURNS = [1, 3, 10, 30, 100, 300, 1_000] as const;
const SUBTITLE = `One-tool turns, 5 KB a result. Dashed: peers, measured ${PEERS_MEASURED_ON} (ai-sdk ended by the server at turn 91)`;

/** File names and contents; none without curves. */
export function toPlots(
  report: Report,
): readonly { readonly file: string; readonly svg: string }[] {
  const curves = report.sections.flatMap((section) => section.curves);
  if (curves.length === 0) return [];
  return [
    {
      file: 'bench-bytes.svg',
      svg: toSvg({
        title: 'History a turn, KB, averaged over the first n turns',
        subtitle: SUBTITLE,
        xTitle: 'turns',
        xTicks: TURNS,
        yTicks: [1, 3, 10, 30, 100, 300, 1_000],
        yScale: 'log',
        series: [
          ...ours(curves, 'bytes'),
          ...theirs(({ runs }) => runs.map((run) => [run.turns, run.kbPerTurn])),
        ],
      }),
    },
    {
      file: 'bench-ms.svg',
      svg: toSvg({
        title: 'Time a turn, ms, median of ten turns',
        subtitle: SUBTITLE,
        xTitle: 'turn',
        xTicks: TURNS,
        yTicks: yTicksFor(curves),
        yScale: 'linear',
        series: [...ours(curves, 'ms'), ...theirs(firstAndLastTens)],
      }),
    },
  ];
}

function ours(curves: readonly Curve[], plot: Curve['plot']): Series[] {
  return curves
    .filter((curve) => curve.plot === plot)
    .map(({ name, points }, index) => ({
      name,
      points,
      color: OURS[index % OURS.length] ?? OURS[0],
      isDashed: false,
    }));
}

function theirs(pointsOf: (peer: Peer) => readonly (readonly [number, number])[]): Series[] {
  return PEERS.map((peer, index) => ({
    name: peer.name,
    points: pointsOf(peer),
    color: THEIRS[index % THEIRS.length] ?? THEIRS[0],
    isDashed: true,
  }));
}

/** A run is known by its first ten turns and its last ten. */
function firstAndLastTens({ runs }: Peer): readonly (readonly [number, number])[] {
  const longest = runs.at(-1);
  const first: readonly [number, number][] =
    longest === undefined ? [] : [[5.5, longest.firstTenMs]];
  return [
    ...first,
    ...runs.slice(1).map(({ turns, lastTenMs }) => [turns - 4.5, lastTenMs] as const),
  ];
}

function yTicksFor(curves: readonly Curve[]): readonly number[] {
  const peers = PEERS.flatMap(({ runs }) => runs.map(({ lastTenMs }) => lastTenMs));
  const own = curves
    .filter(({ plot }) => plot === 'ms')
    .flatMap(({ points }) => points.map(([, y]) => y));
  const step = 50;
  const steps = Math.ceil(Math.max(...peers, ...own) / step);
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}
