import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Child } from './child';
import type { Story } from './story';
import { until } from './until';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

export interface Handover {
  readonly replacement: Child;
  /** From the SIGKILL until the replacement had the work in hand. */
  readonly tookMs: number;
}

/** Kills the Worker while an Activity of the query runs, starts another, and waits until that one has the Activity. */
export async function killAndReplace(options: {
  readonly query: WorkflowHandle;
  readonly worker: Child;
  readonly startReplacement: () => Child;
  readonly story: Story;
}): Promise<Handover> {
  const { query, worker, story } = options;
  const running = await until('an Activity of the query runs', async () => {
    const [activity] = await pendingActivities(query);
    return isHeldBySomebody(activity) ? activity : undefined;
  });

  const killedAtMs = performance.now();
  await worker.kill();
  story.tell(worker.name, `KILLED in the middle of it: SIGKILL to process ${worker.pid}`, 'red');
  const replacement = options.startReplacement();
  story.tell(replacement.name, `started as its replacement: process ${replacement.pid}`);

  await until('the replacement takes over', async () => {
    const activities = await pendingActivities(query);
    const same = activities.find(({ activityId }) => activityId === running.activityId);
    // Not there any more: it was over before we could see it.
    const isTaken =
      same === undefined ||
      (isHeldBySomebody(same) && same.lastWorkerIdentity !== running.lastWorkerIdentity);
    return isTaken ? true : undefined;
  });
  return { replacement, tookMs: performance.now() - killedAtMs };
}

async function pendingActivities(query: WorkflowHandle): Promise<readonly PendingActivity[]> {
  const { raw } = await query.describe();
  return raw.pendingActivities ?? [];
}

const { PENDING_ACTIVITY_STATE_STARTED } = temporal.api.enums.v1.PendingActivityState;

function isHeldBySomebody(activity: PendingActivity | undefined): activity is PendingActivity {
  return activity?.state === PENDING_ACTIVITY_STATE_STARTED;
}
