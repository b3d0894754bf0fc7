import { ApplicationFailure } from '@temporalio/common';
import { queryWorkflowId, sessionWorkflowIdOf } from '../../loop/workflow-id';
import { fromStoredTotals, TOTALS } from '../finish-query/session-totals';
import type { ModelCall } from './call-model';

const LOOK_AGAIN = '200ms';

/** A session that was terminated knows nothing of the query that it left at work: the first query of the session
 *  after it waits here, or both would write to one conversation.
 *  Fails: `Session.QueryRunning` (retryable) while that query runs. */
export async function requireTurn(call: ModelCall): Promise<void> {
  const { input, options } = call;
  // A session that knows where the conversation stands has seen the end of the query before.
  if (input.messages.leaf !== null || options.subAgent !== undefined) return;
  const earlier = await unfinishedQuery(call);
  if (earlier === null || !(await call.attempt.isQueryRunning(earlier))) return;
  throw ApplicationFailure.create({
    type: 'Session.QueryRunning',
    message:
      `Query ${earlier} of this session is still at work: its session was terminated. This message is answered ` +
      `when it has ended. To end it now: temporal workflow cancel --workflow-id ${earlier}`,
    nextRetryDelay: LOOK_AGAIN,
  });
}

/** The query of the last prompt in the conversation, unless it is this one or has reported its end. */
async function unfinishedQuery({ session, attempt, promptId }: ModelCall): Promise<string | null> {
  const { store } = session;
  const leaf = await store.lastLeaf();
  const prompts = (leaf === null ? [] : await store.chain(leaf)).filter(
    ({ type, isSidechain }) => type === 'user' && !isSidechain,
  );
  for (const { uuid } of prompts.reverse()) {
    if ((await store.findMessage(uuid)) === undefined) continue;
    if (uuid === promptId) return null;
    const queryId = queryWorkflowId(sessionWorkflowIdOf(attempt.workflowId), uuid);
    const { queries } = fromStoredTotals(await store.readDocument(TOTALS));
    return queries.includes(queryId) ? null : queryId;
  }
  return null;
}
