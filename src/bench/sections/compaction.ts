import { carriedBytes } from '../carried-state';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import type { Size } from '../options';
import { runTurns, warmUp } from '../our-turns';
import { rssBytesOf } from '../process-usage';
import type { Figure, Measured } from '../report';
import type { Rig } from '../rig';
import { perTurn } from '../run-chain';
import { whileServed } from '../served';
import { medianOf } from '../summary';
import { patienceMs, type TurnRun } from '../turn-run';
import { OUR_FIRST_ACTIVITY, WINDOW } from './turn-figures';

const MB = 1_000_000;
const SOME_TURNS = 100;

/** Many turns under honest usage: whether anything grows from one compaction to the next, or over all of them. */
export async function measureCompaction(rig: Rig, size: Size): Promise<Measured> {
  const { compactionTurns: turns } = size;
  const { run, memory } = await whileServed(rig, async ({ pid: workerPid }) => {
    await warmUp(rig, workerPid, size.warmUps);
    const running = runTurns(rig, { workerPid, turns });
    const [finished, memories] = await Promise.all([running, memoryByTurn(rig, workerPid, turns)]);
    return { run: finished, memory: memories };
  });
  return {
    figures: [
      single('compactions', 'times', run.summaries.length, GOALS.compactions),
      ...timeFigures(run),
      ...memoryFigures(memory),
      ...historyFigures(run),
    ],
    curves: [],
    notes: [
      `${turns} one-tool turns in one query; the model counts four bytes as a token, so that the context is full at 167,000.`,
      'Between: the first ten turns after a compaction and the last ten before the next one, over all compactions. Cycle: all turns from one compaction to the next.',
      'Worker memory is resident memory, with garbage that nobody has collected yet: it swings by tens of MB.',
    ],
  };
}

/** At the request of each turn, in MB. */
async function memoryByTurn(rig: Rig, workerPid: number, turns: number): Promise<number[]> {
  const memory: number[] = [];
  for (let turn = 0; turn <= turns; turn += 1) {
    await rig.model.request(turn, patienceMs(turns));
    memory.push(rssBytesOf(workerPid) / MB);
  }
  return memory;
}

/** Collected now or later, garbage counts: the lowest of many turns is nearer to what is needed. */
function memoryFigures(memory: readonly number[]): Figure[] {
  const turns = memory.length - 1;
  const [early, late] = [Math.round(turns / 20), Math.round(turns / 2)];
  const at = (turn: number): number => memory[turn] ?? Number.NaN;
  const lowest = (from: number): number => Math.min(...memory.slice(from, from + SOME_TURNS));
  const [first, last] = [lowest(0), lowest(turns - SOME_TURNS)];
  return [
    single(`Worker memory at turn ${early}`, 'MB', at(early)),
    single(`Worker memory at turn ${late}`, 'MB', at(late)),
    single('growth between them', 'MB', at(late) - at(early), GOALS.memoryGrowthMB),
    single(`lowest of the first ${SOME_TURNS} turns`, 'MB', first),
    single(`lowest of the last ${SOME_TURNS} turns`, 'MB', last),
    single('growth of the lowest, a thousand turns', 'MB', ((last - first) / turns) * 1_000),
  ];
}

/** From the request after a compaction to the one before the next. */
export function cyclesOf({ arrivals, turnMs }: Pick<TurnRun, 'arrivals' | 'turnMs'>): number[][] {
  const starts = arrivals.flatMap(({ followsSummary }, index) => (followsSummary ? [index] : []));
  return starts.slice(1).map((next, cycle) => turnMs.slice(starts[cycle], next - 1));
}

function timeFigures(run: TurnRun): Figure[] {
  const cycles = cyclesOf(run);
  const [oldest, newest] = [cycles[0], cycles.at(-1)];
  if (oldest === undefined || newest === undefined) return [];
  const first = cycles.flatMap((cycle) => cycle.slice(0, WINDOW));
  const last = cycles.flatMap((cycle) => cycle.slice(-WINDOW));
  const compacting = run.turnMs.filter((_, index) => run.arrivals[index + 1]?.followsSummary);
  return [
    sampled('time a turn', 'ms', run.turnMs, GOALS.turnMs),
    sampled('first ten after a compaction', 'ms', first),
    sampled('last ten before the next', 'ms', last),
    single('last ten / first ten', 'ratio', medianOf(last) / medianOf(first), GOALS.lastOverFirst),
    sampled('turns of the first cycle', 'ms', oldest),
    sampled('turns of the last cycle', 'ms', newest),
    single(
      'last cycle / first cycle',
      'ratio',
      medianOf(newest) / medianOf(oldest),
      GOALS.lastOverFirst,
    ),
    sampled('turn with a compaction', 'ms', compacting),
    sampled(
      'turns between compactions',
      'turns',
      cycles.map(({ length }) => length + 1),
    ),
    sampled(
      'request',
      'KB',
      run.arrivals.map(({ bodyBytes }) => bodyBytes / 1_000),
    ),
  ];
}

function historyFigures({ chain, turns }: TurnRun): Figure[] {
  const carried = chain.inputs.flatMap((input) => carriedBytes(input) ?? []);
  const each = perTurn(chain, OUR_FIRST_ACTIVITY);
  return [
    sampled(
      'State at a rollover',
      'bytes',
      carried.map(({ state }) => state),
      GOALS.stateBytes,
    ),
    sampled(
      'whole input of the next run',
      'bytes',
      carried.map(({ input }) => input),
    ),
    sampled(
      'events a turn',
      'events',
      each.map(({ events }) => events),
      GOALS.turnEvents,
    ),
    sampled(
      'history a turn',
      'KB',
      each.map(({ bytes }) => bytes / 1_000),
      GOALS.turnKB,
    ),
    single('whole history / turns', 'events', chain.events / turns),
    single('whole history / turns', 'KB', chain.bytes / 1_000 / turns),
    single('rollovers', 'times', chain.runs - 1),
  ];
}
