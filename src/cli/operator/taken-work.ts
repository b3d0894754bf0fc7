import { temporal } from '@temporalio/proto';
import { listOpenSessions } from '../../adoption/open-sessions';
import { queryWorkflowId } from '../../loop/workflow-id';
import { identityOf } from '../../recovery/worker-identity';
import { sessionWorkflowId } from '../../transcript/place';
import type { ListedWorker } from '../../transcript/worker-register';
import type { Operator } from './operator';

const STARTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

/** What Workers that live run of the session now, as "run id:Activity id". */
export async function takenWork(
  sessionId: string,
  living: readonly ListedWorker[],
  { connected, host }: Pick<Operator, 'connected' | 'host'>,
): Promise<readonly string[]> {
  const { client } = connected;
  const { place } = host.store;
  const open = await listOpenSessions(client, place);
  const workflowId = sessionWorkflowId(place, sessionId);
  const identities = new Set(living.map(({ workerId }) => identityOf({ workerId })));
  const looked = (open.get(sessionId) ?? []).map(async (promptId) => {
    const query = client.workflow.getHandle(queryWorkflowId(workflowId, promptId));
    const { runId, raw } = await query.describe();
    return (raw.pendingActivities ?? []).flatMap(({ activityId, state, lastWorkerIdentity }) => {
      const isTaken = state === STARTED && identities.has(lastWorkerIdentity ?? '');
      return isTaken && activityId != null ? `${runId}:${activityId}` : [];
    });
  });
  // One that has ended meanwhile runs nothing.
  const found = await Promise.allSettled(looked);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
