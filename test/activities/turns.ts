import { callModel } from '../../src/activities/call-model/call-model';
import { runTool } from '../../src/activities/run-tool/run-tool';
import type { Pending } from '../../src/loop/context';
import type { Reply } from '../../src/loop/outcomes';
import type { CallModelInput } from '../../src/activities/interface';
import { input, toReply } from './call-model/asked';
import type { Given, GivenWorker, Said } from './given';

/** Where a conversation stands: what the next request is made from. */
export interface Turn {
  readonly said: Said;
  readonly leaf: string | null;
  readonly pending: readonly Pending[];
  readonly number: number;
}

export const firstTurn = (said: Said, leaf: string | null = null): Turn => ({
  said,
  leaf,
  pending: [said.pending],
  number: 1,
});

/** One request, and the calls of its reply.
 *  Fails: Error when there is no reply. */
export async function takeTurn(
  at: Given,
  worker: GivenWorker,
  turn: Turn,
  more: Partial<CallModelInput> = {},
): Promise<Turn & { readonly leaf: string; readonly reply: Reply }> {
  const { said, leaf, pending, number } = turn;
  const asked = input(leaf, pending, { turn: number, ...more });
  const reply = toReply(await callModel(worker.deps, said.attempt(`ask-${number}`), asked));
  for (const [index, toolUse] of reply.toolUses.entries()) {
    await runTool(worker.deps, said.attempt(`tool-${number}-${index}`), {
      call: toolUse,
      mode: 'bypassPermissions',
      workingDirectory: at.workspace,
    });
  }
  const results = reply.toolUses.map((toolUse) => ({ type: 'tool_result', toolUse }) as const);
  return { said, leaf: reply.leaf, pending: results, number: number + 1, reply };
}

/** As `takeTurn`, each turn by a Worker that has just started. */
export async function takeTurns(
  at: Given,
  said: Said,
  workers: readonly (Parameters<Given['worker']>[0] | undefined)[],
): Promise<Turn> {
  let turn = firstTurn(said);
  for (const changes of workers) turn = await takeTurn(at, at.worker(changes), turn);
  return turn;
}
