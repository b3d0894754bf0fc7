import { setTimeout as pause } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import type { Rig } from './rig';
import { clockMs } from './clock';

const { TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;
const PATIENCE_MS = 120_000;
const LOOK_AGAIN_MS = 4;

/** Who polls a Task Queue for Activities, as the server knows it. It remembers the dead for minutes. */
export async function pollersOf(rig: Rig, taskQueue: string): Promise<ReadonlySet<string>> {
  const { client } = rig.connected;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
  });
  return new Set(pollers.flatMap(({ identity }) => identity ?? []));
}

/** Resolves with the instant at which a Worker polls the queue that is not one of `known`.
 *  Fails: Error when none comes. */
export async function untilPolled(
  rig: Rig,
  taskQueue: string,
  known: ReadonlySet<string> = new Set(),
): Promise<number> {
  const deadline = clockMs() + PATIENCE_MS;
  while (clockMs() < deadline) {
    const pollers = await pollersOf(rig, taskQueue);
    if ([...pollers].some((identity) => !known.has(identity))) return clockMs();
    await pause(LOOK_AGAIN_MS);
  }
  throw new Error(`No new Worker polls ${taskQueue} after ${PATIENCE_MS / 1_000} s.`);
}
