import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, Worker, WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from './activities/interface';
import { activityFailpoints } from './failpoint/activity-failpoints';
import type { ActivityGate } from './temporal/activity-gate';
import { EarlyThreadWorker } from './temporal/early-thread-worker';
import {
  pollerOptions,
  shutdownOptions,
  slotOptions,
  turnBackOf,
  type Capacity,
} from './temporal/worker-capacity';
import type { WorkerDeployment } from './worker-deployment';

/** A Task Queue that this process polls. */
export interface QueueWorker {
  /** Resolves when it polls no more; rejects when it fails. */
  readonly finished: Promise<void>;
  /** Lets running Activities end, or go on elsewhere. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly dataConverter: DataConverter;
  readonly taskQueue: string;
  readonly identity: string;
  readonly version: string;
  /** null: the server does not tell builds apart. */
  readonly deployment: WorkerDeployment | null;
  /** null: Activities only. */
  readonly workflowBundle: WorkflowBundleOption | null;
  /** null: Workflows only. They answer, and what they schedule waits. */
  readonly activities: Activities | null;
  /** Whether it takes Activities now; null: always. */
  readonly gate: ActivityGate | null;
  readonly capacity: Capacity;
}

/** Resolves when `pollQueue` may be called. */
export function createQueueWorker(options: QueueOptions): Promise<Worker> {
  const { connection, namespace, dataConverter, taskQueue } = options;
  const { identity, version, deployment, workflowBundle, capacity } = options;
  return EarlyThreadWorker.create({
    connection,
    namespace,
    dataConverter,
    taskQueue,
    identity,
    ...(deployment === null ? unversioned(version) : versioned(deployment)),
    ...(workflowBundle && { workflowBundle }),
    ...(options.activities === null ? LIGHT : withActivities(options.activities, options)),
    // A Worker that dies leaves its tasks on its own sticky queue; nobody looks there for this long.
    stickyQueueScheduleToStartTimeout: '1s',
    ...shutdownOptions(capacity),
  });
}

/** The default is a hash of the bundle, in every second event; a deployment's name would be longer still. */
const unversioned = (buildId: string) => ({ buildId }) as const;

const versioned = ({ name: deploymentName, buildId }: WorkerDeployment) => ({
  workerDeploymentOptions: {
    version: { deploymentName, buildId },
    useWorkerVersioning: true as const,
    // Queries alone are pinned (pinned-queries.ts): a session may be open for weeks, and idle.
    defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
  },
});

/** Of a queue that seldom has a task: nothing is kept between two of them, and few requests wait at the server. */
const LIGHT = { maxCachedWorkflows: 0, maxConcurrentWorkflowTaskPolls: 1 } as const;

const withActivities = (
  activities: Activities,
  { capacity, gate }: Pick<QueueOptions, 'capacity' | 'gate'>,
) => ({
  activities,
  ...slotOptions(capacity, gate),
  ...pollerOptions(capacity),
  interceptors: {
    activity: [...(gate === null ? [] : [turnBackOf(capacity, gate)]), activityFailpoints],
  },
  // An interrupt comes in the answer to a heartbeat.
  maxHeartbeatThrottleInterval: '300ms' as const,
});

export function pollQueue(worker: Worker): QueueWorker {
  const finished = worker.run();
  return {
    finished,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}

/** A Worker that must not poll holds its connection until it has run. */
export async function discard(creating: Promise<Worker>): Promise<void> {
  const worker = await creating.catch(() => null);
  if (worker === null) return;
  const run = worker.run();
  worker.shutdown();
  await run;
}
