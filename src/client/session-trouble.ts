import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { LimitName } from '../loop/limits';
import type { AgentClient } from './agent-client';
import { decrypted } from './decrypted';
import { isServerAway } from './server-away';

/** What keeps a session from going on, as far as the server knows.
 *  `stuck`: its Workflow fails in the code of its Worker, if two looks say so: only another build cures that.
 *  `retrying`: an Activity failed several times and is tried again.
 *  `held`: it waits for people. `crossed`: the limit that it is over; null: it is paused. */
export type Trouble =
  | { readonly type: 'held'; readonly crossed: LimitName | null }
  | { readonly type: 'server_away' }
  | { readonly type: 'stuck'; readonly workflowId: string; readonly message: string }
  | { readonly type: 'retrying'; readonly activity: string; readonly message: string };

/** An Activity fails now and then for reasons that pass. */
const MANY_ATTEMPTS = 3;
const ANSWER_WITHIN_MS = 3_000;

/** Looks at the Workflows given and at their children. Asks the server alone, no Worker. null: all is well. */
export async function findTrouble(
  client: Client,
  workflowIds: readonly string[],
): Promise<Trouble | null> {
  const open = new Set(workflowIds);
  let retried: Trouble | null = null;
  try {
    // A Set that grows while it is walked: children come after their parents.
    for (const workflowId of open) {
      const description = await soon(client, () => describe(client, workflowId));
      if (description === null) continue;
      const message = await soon(client, () => taskFailure(client, description));
      if (message !== null) return { type: 'stuck', workflowId, message };
      retried ??= retriedActivity(description);
      for (const child of description.raw.pendingChildren ?? []) open.add(child.workflowId ?? '');
    }
    return retried;
  } catch (error) {
    if (isServerAway(error)) return { type: 'server_away' };
    throw error;
  }
}

/** What people keep a session waiting for; null: nothing, or nobody is there who knows. */
export async function findHold(
  client: Client,
  agent: AgentClient,
  sessionId: string,
): Promise<Extract<Trouble, { type: 'held' }> | null> {
  const status = await soon(client, () => agent.queryStatus(sessionId)).catch(() => undefined);
  // A workspace that is gone is not what people keep it waiting for, and it is shown otherwise.
  if (status?.waitingFor == null || status.waitingFor === 'workspace') return null;
  return { type: 'held', crossed: status.waitingFor === 'budget' ? status.crossed : null };
}

/** One question, in a time of its own: several slow answers are no server that does not answer. */
const soon = <T>(client: Client, ask: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + ANSWER_WITHIN_MS, ask);

async function describe(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    const description = await client.workflow.getHandle(workflowId).describe();
    if (description.status.name !== 'RUNNING') return null;
    await decrypted(client, description.raw.pendingActivities ?? []);
    return description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

const { EventType, WorkflowTaskFailedCause } = temporal.api.enums.v1;

/** Why the current Workflow Task failed and is tried again; null: it did not fail. */
async function taskFailure(
  client: Client,
  { workflowId, runId, raw }: WorkflowExecutionDescription,
): Promise<string | null> {
  const { attempt } = raw.pendingWorkflowTask ?? {};
  if ((attempt ?? 0) < 2) return null;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 20,
  });
  // Only the first failure of a task is an event; Signals may have come since.
  const last = history?.events?.find(
    ({ eventType }) =>
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  if (failed == null) return null;
  await decrypted(client, failed);
  const cause = WorkflowTaskFailedCause[failed.cause ?? 0] ?? 'UNKNOWN';
  return `${cause.replace('WORKFLOW_TASK_FAILED_CAUSE_', '')}: ${(failed.failure?.message ?? 'no reason was given').slice(0, 500)}`;
}

function retriedActivity({ raw }: WorkflowExecutionDescription): Trouble | null {
  for (const { attempt, activityType, lastFailure } of raw.pendingActivities ?? []) {
    // Failures of the API are told in the session log.
    const isTold = TOLD.has(lastFailure?.applicationFailureInfo?.type ?? '');
    if (lastFailure == null || isTold || (attempt ?? 0) < MANY_ATTEMPTS) continue;
    return {
      type: 'retrying',
      activity: activityType?.name ?? '',
      message: (lastFailure.message ?? '').slice(0, 500),
    };
  }
  return null;
}

/** Waits that the session log tells of. */
const TOLD: ReadonlySet<string> = new Set(['ModelCall.Retry', 'ModelCall.Paused']);
