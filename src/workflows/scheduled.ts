import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  executeChild,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import { BEGIN_TASK } from './activity-options';
import type { SubmitRequest } from './interface';
import { session } from './session';
import { SessionState } from './session-state';

const { beginScheduled } = proxyActivities<Activities>(BEGIN_TASK);

/** A task that dies with its Worker is given to another one after this long. They take milliseconds. */
const TASK_TIMEOUT = '3s';

/** One firing of a schedule: begins a session of its own with the prompt of that name, and lasts as long as it does,
 *  so that the schedule knows whether the one before still runs. Cancelling it stops the session.
 *  Fails: ActivityFailure (`Schedule.Unknown`, `Schedule.BadFolder`) when it cannot begin. */
export async function scheduled(name: string): Promise<{ readonly sessionId: string }> {
  const begun = await beginScheduled(name);
  const { sessionId, workflowId, idleMs, rolloverEvents, summary, request } = begun;
  await executeChild(session, {
    workflowId,
    args: [{ idleMs, rolloverEvents, carry: beginningWith(request) }],
    workflowTaskTimeout: TASK_TIMEOUT,
    ...(summary !== undefined && { staticSummary: summary }),
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Whoever terminates the firing has not stopped what the agent does.
    parentClosePolicy: ParentClosePolicy.ABANDON,
  });
  return { sessionId };
}

/** As after its message was submitted, and the client has left. */
const beginningWith = (request: SubmitRequest) => ({
  ...SessionState.initial(),
  inbox: [request],
  released: true,
});
