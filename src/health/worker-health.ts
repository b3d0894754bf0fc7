import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { identityOf } from '../recovery/worker-identity';
import { requireRoom } from '../transcript/files/atomic-write';
import type { LeaseOwner } from '../transcript/store';
import { serveHealth, type HealthServer } from './health-server';

/** A Worker as its health is judged. */
export interface WatchedWorker {
  readonly client: Client;
  readonly taskQueue: string;
  readonly worker: { readonly owner: LeaseOwner; readonly finished: Promise<void> };
}

/** The health of a Worker process, told over HTTP from before its Worker polls until it ends. */
export class WorkerHealth {
  #watched: WatchedWorker | null = null;
  #hasFinished = false;
  #server: HealthServer | null = null;

  /** `folders`: what it must be able to write to. Fails: Error that names the address and the cure. */
  static async listen(address: string, folders: readonly string[]): Promise<WorkerHealth> {
    const health = new WorkerHealth();
    health.#server = await serveHealth(address, [
      { name: 'server', trouble: async () => (await health.#pollers(), null) },
      { name: 'worker', trouble: () => health.#workerTrouble() },
      { name: 'store', trouble: async () => (await Promise.all(folders.map(requireRoom)), null) },
    ]);
    return health;
  }

  watch(watched: WatchedWorker): void {
    this.#watched = watched;
    const finished = (): void => void (this.#hasFinished = true);
    watched.worker.finished.then(finished, finished);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #workerTrouble(): Promise<string | null> {
    if (this.#watched === null) return 'it is starting';
    if (this.#hasFinished) return 'it has stopped polling';
    const { worker, taskQueue } = this.#watched;
    const identity = identityOf(worker.owner);
    const isPolling = (await this.#pollers()).includes(identity);
    return isPolling ? null : `the server has not seen ${identity} poll ${taskQueue} lately`;
  }

  /** Who polls, as the server sees it. Fails: Error when no server answers. */
  async #pollers(): Promise<readonly string[]> {
    if (this.#watched === null) throw new Error('the connection is not made yet');
    const { client, taskQueue } = this.#watched;
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return pollers.map(({ identity }) => identity ?? '');
  }
}
