import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseOwner, TranscriptStore } from '../transcript/store';
import type { WorkerRegister } from '../transcript/worker-register';
import { isAlive } from './presence';

/** Whether the process that announced itself still serves. */
export type Liveness = (owner: LeaseOwner) => Promise<boolean>;

/** A Worker that has said nothing for so long is suspected: it speaks every 3 s (`pulse.ts`), so it missed three
 *  times. Less would call one dead whose machine was busy, or whose connection was cut. */
export const SUSPECTED_AFTER_MS = 10_000;
/** A suspect has so long for one more word. After an outage of the database itself all are suspects, and whoever
 *  lives speaks within this: it tries again every 3 s at most. Both together are what the loss of a host costs,
 *  beside the 10 s in which Temporal misses the heartbeats. A false "dead" is safe, for leases fence it, and costs
 *  model calls. */
const LAST_WORD_MS = 5_000;

/** Asks a process of this host at its socket, and the store for one of another host. Where the store is of one host,
 *  a process of another one counts as alive: it cannot be asked.
 *  Fails: StoreError when the store does not answer. */
export function livenessIn({ workers }: Pick<TranscriptStore, 'workers'>, host: string): Liveness {
  /** What each had said last when it was found dead. */
  const lastWords = new Map<string, string>();
  return (owner) =>
    owner.host === host || workers === undefined
      ? isAlive(owner, host)
      : isTelling(owner, workers, lastWords);
}

async function isTelling(
  { workerId }: LeaseOwner,
  workers: WorkerRegister,
  lastWords: Map<string, string>,
): Promise<boolean> {
  const suspect = await workers.find(workerId);
  if (suspect === undefined) return false;
  if (suspect.silentMs < SUSPECTED_AFTER_MS) return true;
  if (lastWords.get(workerId) === suspect.word) return false;
  await delay(LAST_WORD_MS);
  const now = await workers.find(workerId);
  if (now !== undefined && now.word !== suspect.word) return true;
  lastWords.set(workerId, suspect.word);
  return false;
}
