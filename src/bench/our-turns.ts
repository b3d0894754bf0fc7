import { join } from 'node:path';
import type { Reply } from '../scripted-model/reply';
import type { RunOptions } from '../transcript/message';
import { BenchSession } from './bench-session';
import { oneToolTurns } from './model/one-tool-turns';
import type { Rig } from './rig';
import { readRunChain } from './run-chain';
import { watchTurns, type TurnRun } from './turn-run';

const WARM_UP_TURNS = 8;

export interface OurTurns {
  readonly workerPid: number;
  readonly turns: number;
  /** One reply more than turns. Default: one-tool turns. */
  readonly replies?: readonly Reply[];
  readonly comparesPrefixes?: boolean;
  readonly countsTokens?: boolean;
  readonly options?: Partial<RunOptions>;
}

/** One message to a fresh session of the background Worker, and all turns that it takes. */
export async function runTurns(
  rig: Rig,
  of: OurTurns,
): Promise<TurnRun & { session: BenchSession }> {
  const { model } = rig;
  const { workerPid, turns, options, comparesPrefixes = false, countsTokens = true } = of;
  const replies = of.replies ?? oneToolTurns(turns, join(rig.project, 'files'));
  const session = await BenchSession.create(rig);
  await model.play(replies, { comparesPrefixes, countsTokens });
  const watching = watchTurns(rig, {
    turns,
    workerPid,
    callAt: async (index, timeoutMs) => (await model.request(index, timeoutMs)).arrivedAtMs,
    instants: () => model.arrivals.map(({ arrivedAtMs }) => arrivedAtMs),
  });
  const submitted = session.submit('Read on.', { isLast: true, ...(options && { options }) });
  const [watched, messageId] = await Promise.all([watching, submitted]);
  await session.closed();
  const { arrivals, summaries } = model;
  const chain = await readRunChain(rig.connected.client, session.queryId(messageId));
  return { ...watched, chain, arrivals, summaries, session };
}

/** A Worker is quicker when it has done it before. */
export async function warmUp(rig: Rig, workerPid: number, runs: number): Promise<void> {
  for (let run = 0; run < runs; run += 1) await runTurns(rig, { workerPid, turns: WARM_UP_TURNS });
}
