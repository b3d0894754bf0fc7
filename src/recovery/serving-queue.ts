import { hostQueue } from '../temporal/task-queue';
import type { LeaseOwner } from '../transcript/store';
import type { ServedWorkspace, WorkerRegister } from '../transcript/worker-register';

/** It speaks every 3 s (`pulse.ts`). One that has missed a word is not relied on. */
const SPOKE_WITHIN_MS = 5_000;

/** Task Queue of the host whose Worker holds a lease, for what came to this host of the same workspace; null: it is
 *  of no other host of that workspace, takes nothing, or is silent.
 *  Fails: StoreError when the store does not answer. */
export async function servingQueueOf(
  { workerId, host }: LeaseOwner,
  self: { readonly host: string; readonly workspace: ServedWorkspace },
  register: WorkerRegister,
): Promise<string | null> {
  if (host === self.host) return null;
  const holder = (await register.list()).find((worker) => worker.workerId === workerId);
  if (holder === undefined || holder.hasLeft || holder.isDrained) return null;
  const isThere = holder.workspace.taskQueue === self.workspace.taskQueue;
  return isThere && holder.silentMs < SPOKE_WITHIN_MS ? hostQueue(self.workspace, host) : null;
}
