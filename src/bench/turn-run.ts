import type { Arrival } from './model/model-message';
import { cpuMsOf, rssBytesOf } from './process-usage';
import type { Rig } from './rig';
import type { RunChain } from './run-chain';
import { steps } from './summary';

/** One run of N turns, ours or the empty loop's. */
export interface TurnRun {
  readonly turns: number;
  /** Wall time of each turn: from one model request to the next. */
  readonly turnMs: readonly number[];
  /** CPU time a turn, over the run. */
  readonly workerCpuMs: number;
  readonly serverCpuMs: number;
  readonly modelCpuMs: number;
  readonly rssBefore: number;
  readonly rssAfter: number;
  readonly chain: RunChain;
  /** Requests to the model; none if there were none. */
  readonly arrivals: readonly Arrival[];
  /** Requests for a summary. */
  readonly summaries: readonly Arrival[];
}

/** A turn of ours may take so long when each request carries megabytes. */
export const patienceMs = (turns: number): number => 60_000 + turns * 1_000;

/** Measures from the first model call to the last. `callAt` resolves with the instant of the n-th call. */
export async function watchTurns(
  rig: Rig,
  options: {
    readonly turns: number;
    readonly workerPid: number;
    callAt(index: number, timeoutMs: number): Promise<number>;
    /** All instants, when the last one has come. */
    instants(): readonly number[];
  },
): Promise<Omit<TurnRun, 'chain' | 'arrivals' | 'summaries'>> {
  const { turns, workerPid } = options;
  const usage = (): readonly [number, number, number] => [
    cpuMsOf(workerPid),
    cpuMsOf(rig.serverPid),
    cpuMsOf(rig.model.pid),
  ];
  await options.callAt(0, patienceMs(0));
  const [before, rssBefore] = [usage(), rssBytesOf(workerPid)];
  await options.callAt(turns, patienceMs(turns));
  const [after, rssAfter] = [usage(), rssBytesOf(workerPid)];
  const perTurn = (which: 0 | 1 | 2): number => (after[which] - before[which]) / turns;
  return {
    turns,
    turnMs: steps(options.instants().slice(0, turns + 1)),
    workerCpuMs: perTurn(0),
    serverCpuMs: perTurn(1),
    modelCpuMs: perTurn(2),
    rssBefore,
    rssAfter,
  };
}
