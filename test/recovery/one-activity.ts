import { proxyActivities } from '@temporalio/workflow';

const { work } = proxyActivities<{ work(): Promise<number> }>({
  heartbeatTimeout: '60s',
  startToCloseTimeout: '10m',
  retry: { initialInterval: '60s' },
});

/** One Activity, and then one more, so that the Workflow must be woken after the first. */
export async function oneActivity(): Promise<readonly number[]> {
  return [await work(), await work()];
}
