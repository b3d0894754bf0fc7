import { finishQuery } from '../../../src/activities/finish-query/finish-query';
import type { FinishedQuery } from '../../../src/activities/interface';
import type { Context } from '../../../src/loop/context';
import { Tally } from '../../../src/loop/tally';
import type { Terminal } from '../../../src/loop/terminal';
import type { QueryResult } from '../../../src/transcript/session-log';
import type { FakeAttempt } from '../fake-attempt';
import { MODEL, type Given, type GivenWorker } from '../given';

export const END_TURN: Terminal = { reason: 'completed', detail: 'end_turn' };

/** What one request of a thousand tokens each way leaves behind. */
export function tally(more: Partial<Tally> = {}): Tally {
  const used = {
    input_tokens: 1_000,
    output_tokens: 1_000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 10_000,
  };
  return { ...Tally.start(0), usageByModel: { [MODEL]: used }, stopReason: 'end_turn', ...more };
}

export function finish(
  at: Given,
  worker: GivenWorker,
  attempt: FakeAttempt,
  of: { readonly messages: Context; readonly terminal?: Terminal; readonly tally?: Tally },
): Promise<FinishedQuery> {
  return finishQuery(worker.deps, attempt, {
    terminal: END_TURN,
    tally: tally(),
    ...of,
    sessionRunsAs: at.sessionWorkflowId,
  });
}

/** Results that observers were told, oldest first. */
export async function resultsOf(worker: GivenWorker): Promise<readonly QueryResult[]> {
  return (await worker.log()).flatMap((entry) =>
    entry.type === 'query_ended' ? [entry.result] : [],
  );
}
