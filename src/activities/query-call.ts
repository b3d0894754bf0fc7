import { ApplicationFailure } from '@temporalio/common';
import { fromQueryWorkflowId } from '../loop/workflow-id';
import type { RunOptions } from '../transcript/message';
import type { Attempt } from './attempt';
import type { ActivityDeps, Place } from './deps';
import type { RecordFacts } from './new-record';
import type { ServedSession } from './served-sessions';

/** Everything of one Activity of a query that does not change while it runs. */
export interface QueryCall {
  readonly deps: ActivityDeps;
  readonly attempt: Attempt;
  readonly session: ServedSession;
  /** The query's Workflow id: how the session log names it. */
  readonly queryId: string;
  readonly promptId: string;
  /** What the query's prompt chose. */
  readonly options: RunOptions;
  readonly place: Place;
  readonly facts: RecordFacts;
}

/** Serves the session that the Workflow id names.
 *  Fails: `Session.MessageMissing`, `Session.Unknown` (final), `Session.ServedElsewhere` (retryable). */
export async function openQueryCall(deps: ActivityDeps, attempt: Attempt): Promise<QueryCall> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const { store } = session;
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const message = await store.findMessage(promptId);
  if (message === undefined) throw messageMissing(promptId);
  const { sessionId, cwd } = store.meta;
  const { options } = message;
  return {
    deps,
    attempt,
    session,
    queryId: attempt.workflowId,
    promptId,
    options,
    place: { cwd, options },
    facts: { sessionId, cwd, timestamp: deps.now().toISOString(), version: deps.version },
  };
}

export const messageMissing = (messageId: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    `Message ${messageId} is not in the store. It was submitted to another store, or deleted.`,
    'Session.MessageMissing',
  );
