import { ApplicationFailure } from '@temporalio/common';
import type { Terminal } from '../../loop/terminal';
import type { QueryResult } from '../../transcript/session-log';
import type { TranscriptStore } from '../../transcript/store';
import type { AgentAnswer, AnswerRef } from '../../workflows/agent-task';

const PREVIEW_CHARS = 200;

/** Document of the session with the result of a task's query. */
export const taskResultName = (messageId: string): string => `task-${messageId}`;

/** The whole result of a task's query. Fails: `Task.NoResult` (final) when it has none. */
export async function taskResultOf(
  store: TranscriptStore,
  { sessionId, messageId }: AnswerRef,
): Promise<QueryResult> {
  const session = await store.openSession(sessionId);
  const result = await session?.readDocument(taskResultName(messageId));
  if (result !== undefined && result !== null) return result as QueryResult;
  throw ApplicationFailure.nonRetryable(
    `Task ${messageId} of session ${sessionId} has no result at ${store.place}. It was terminated, or given in another store.`,
    'Task.NoResult',
  );
}

/** What of it may enter Event History. */
export async function reportTask(store: TranscriptStore, answer: AnswerRef): Promise<AgentAnswer> {
  const result = await taskResultOf(store, answer);
  const text = result.result ?? result.errors?.join(' ') ?? '';
  return {
    ...answer,
    reason: result.terminal_reason as Terminal['reason'],
    isError: result.is_error,
    preview: text.length <= PREVIEW_CHARS ? text : `${text.slice(0, PREVIEW_CHARS - 1)}…`,
    numTurns: result.num_turns,
    costUsd: result.total_cost_usd,
  };
}
