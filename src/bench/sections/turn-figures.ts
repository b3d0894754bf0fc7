import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import type { Curve, Figure } from '../report';
import { perTurn } from '../run-chain';
import { medianOf } from '../summary';
import { STAGE_NAMES, stagesOf, type TurnStages } from '../turn-stages';
import type { TurnRun } from '../turn-run';

/** First ten, last ten. */
export const WINDOW = 10;
const MB = 1_000_000;
export const OUR_FIRST_ACTIVITY = 'callModel';
const BASELINE_FIRST_ACTIVITY = 'ask';

/** `runs` are repeats of the same number of turns. */
export function ourFigures(runs: readonly TurnRun[]): Figure[] {
  const n = nameOf(runs);
  const all = runs.flatMap(({ turnMs }) => turnMs);
  const [first, last] = ends(runs);
  const turns = runs.flatMap(({ chain }) => perTurn(chain, OUR_FIRST_ACTIVITY));
  const lastTurns = runs.flatMap(({ chain }) => perTurn(chain, OUR_FIRST_ACTIVITY).slice(-WINDOW));
  return [
    sampled(`${n}: time a turn`, 'ms', all, GOALS.turnMs),
    sampled(`${n}: first ten`, 'ms', first),
    sampled(`${n}: last ten`, 'ms', last),
    single(
      `${n}: last ten / first ten`,
      'ratio',
      medianOf(last) / medianOf(first),
      GOALS.lastOverFirst,
    ),
    sampled(
      `${n}: events a turn`,
      'events',
      turns.map(({ events }) => events),
      GOALS.turnEvents,
    ),
    sampled(
      `${n}: history a turn`,
      'KB',
      turns.map(({ bytes }) => bytes / 1_000),
      GOALS.turnKB,
    ),
    sampled(
      `${n}: history a turn, last ten`,
      'KB',
      lastTurns.map(({ bytes }) => bytes / 1_000),
      GOALS.turnKB,
    ),
    sampled(
      `${n}: whole history / turns`,
      'KB',
      runs.map(({ chain, turns: count }) => chain.bytes / 1_000 / count),
    ),
    sampled(
      `${n}: whole history`,
      'events',
      runs.map(({ chain }) => chain.events),
    ),
    sampled(
      `${n}: CPU a turn, Worker`,
      'ms',
      runs.map(({ workerCpuMs }) => workerCpuMs),
    ),
    sampled(
      `${n}: CPU a turn, server`,
      'ms',
      runs.map(({ serverCpuMs }) => serverCpuMs),
    ),
    sampled(
      `${n}: CPU a turn, model`,
      'ms',
      runs.map(({ modelCpuMs }) => modelCpuMs),
    ),
    sampled(
      `${n}: Worker memory at the start`,
      'MB',
      runs.map(({ rssBefore }) => rssBefore / MB),
    ),
    sampled(
      `${n}: Worker memory at the end`,
      'MB',
      runs.map(({ rssAfter }) => rssAfter / MB),
    ),
    sampled(
      `${n}: last request`,
      'KB',
      runs.map(({ arrivals }) => (arrivals.at(-1)?.bodyBytes ?? 0) / 1_000),
    ),
    sampled(
      `${n}: compactions`,
      'times',
      runs.map(({ summaries }) => summaries.length),
    ),
    ...stageFigures(
      `${n}, last ten`,
      runs.flatMap((run) => stagesOf(run).slice(-WINDOW)),
    ),
  ];
}

function stageFigures(name: string, stages: readonly TurnStages[]): Figure[] {
  const keys = Object.keys(STAGE_NAMES) as (keyof TurnStages)[];
  if (stages.length === 0) return [];
  return keys.map((key) =>
    sampled(
      `${name}: ${STAGE_NAMES[key]}`,
      'ms',
      stages.map((stage) => stage[key]),
    ),
  );
}

export function baselineFigures(
  ours: readonly TurnRun[],
  {
    silent,
    sending,
  }: { readonly silent: readonly TurnRun[]; readonly sending: readonly TurnRun[] },
): Figure[] {
  const n = nameOf(ours);
  return [['empty loop', silent] as const, ['empty loop with requests', sending] as const].flatMap(
    ([name, theirs]) => {
      const turns = theirs.flatMap(({ chain }) => perTurn(chain, BASELINE_FIRST_ACTIVITY));
      return [
        sampled(
          `${n}: ${name}, time a turn`,
          'ms',
          theirs.flatMap(({ turnMs }) => turnMs),
        ),
        sampled(`${n}: ${name}, first ten`, 'ms', ends(theirs)[0]),
        sampled(`${n}: ${name}, last ten`, 'ms', ends(theirs)[1]),
        sampled(
          `${n}: ${name}, events a turn`,
          'events',
          turns.map(({ events }) => events),
        ),
        sampled(
          `${n}: ${name}, history a turn`,
          'KB',
          turns.map(({ bytes }) => bytes / 1_000),
        ),
        sampled(
          `${n}: ${name}, CPU a turn, Worker`,
          'ms',
          theirs.map(({ workerCpuMs }) => workerCpuMs),
        ),
        sampled(
          `${n}: ${name}, CPU a turn, server`,
          'ms',
          theirs.map(({ serverCpuMs }) => serverCpuMs),
        ),
        single(
          `${n}: ours / ${name}, time`,
          'ratio',
          medianTurnOf(ours) / medianTurnOf(theirs),
          GOALS.overBaseline,
        ),
        single(
          `${n}: ours / ${name}, CPU`,
          'ratio',
          medianOf(ours.map(cpuOf)) / medianOf(theirs.map(cpuOf)),
          GOALS.overBaseline,
        ),
      ];
    },
  );
}

/** For the plots: history averaged over the first n turns, and the median of each ten turns. */
export function curvesOf(ours: TurnRun, silent: TurnRun, sending: TurnRun): Curve[] {
  return [
    { name: 'everloop', plot: 'bytes', points: averageKB(ours, OUR_FIRST_ACTIVITY) },
    { name: 'empty loop', plot: 'bytes', points: averageKB(silent, BASELINE_FIRST_ACTIVITY) },
    { name: 'everloop', plot: 'ms', points: medians(ours.turnMs) },
    { name: 'empty loop', plot: 'ms', points: medians(silent.turnMs) },
    { name: 'empty loop with requests', plot: 'ms', points: medians(sending.turnMs) },
  ];
}

function averageKB({ chain }: TurnRun, firstActivity: string): (readonly [number, number])[] {
  let sum = 0;
  return perTurn(chain, firstActivity).flatMap(({ bytes }, index) => {
    sum += bytes;
    const turn = index + 1;
    const point = [turn, sum / turn / 1_000] as const;
    return turn <= WINDOW || turn % WINDOW === 0 ? [point] : [];
  });
}

function medians(turnMs: readonly number[]): (readonly [number, number])[] {
  const windows = Math.ceil(turnMs.length / WINDOW);
  return Array.from({ length: windows }, (_, index) => {
    const window = turnMs.slice(index * WINDOW, (index + 1) * WINDOW);
    return [index * WINDOW + (window.length + 1) / 2, medianOf(window)] as const;
  });
}

function ends(runs: readonly TurnRun[]): [number[], number[]] {
  return [
    runs.flatMap(({ turnMs }) => turnMs.slice(0, WINDOW)),
    runs.flatMap(({ turnMs }) => turnMs.slice(-WINDOW)),
  ];
}

const nameOf = ([run]: readonly TurnRun[]): string => `${run?.turns ?? 0} turns`;
const cpuOf = ({ workerCpuMs, serverCpuMs }: TurnRun): number => workerCpuMs + serverCpuMs;
const medianTurnOf = (runs: readonly TurnRun[]): number =>
  medianOf(runs.flatMap(({ turnMs }) => turnMs));
