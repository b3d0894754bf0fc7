import type { LeaseOwner } from '../transcript/store';
import { isAlive, onGone } from './presence';
import { notingWorkers, readNotesOwner } from './run-notes';

/** Workers that serve the same home, as one of them sees the others. */
export interface WorkerWatch {
  stop(): void;
}

/** How soon a new Worker is noticed, and one that left in order missed. One look into a folder. */
const LOOK_MS = 500;
/** A stopped process keeps its sockets: it must be asked. */
const ASK_EVERY_LOOKS = 2;

/** Calls `onLoss` when another Worker of this home and host has died or been stopped, at once when the kernel says
 *  so, and when one has left; never for the Worker itself. Costs a look into a folder twice a second. */
export function watchWorkers(
  { home, self }: { readonly home: string; readonly self: LeaseOwner },
  onLoss: () => void,
): WorkerWatch {
  /** What ends the watch of each, by Worker id. */
  const watched = new Map<string, { readonly owner: LeaseOwner; readonly end: () => void }>();
  let looks = 0;
  let isAsking = false;

  const lose = (workerId: string): void => {
    watched.get(workerId)?.end();
    if (watched.delete(workerId)) onLoss();
  };
  const look = (): void => {
    const noting = new Set(notingWorkers(home));
    for (const workerId of [...watched.keys()]) if (!noting.has(workerId)) lose(workerId);
    for (const workerId of noting) {
      if (workerId === self.workerId || watched.has(workerId)) continue;
      const owner = readNotesOwner(home, workerId);
      if (owner?.host !== self.host) continue;
      watched.set(workerId, { owner, end: onGone(owner, () => lose(workerId)) });
    }
    looks += 1;
    if (looks % ASK_EVERY_LOOKS === 0 && !isAsking) void ask();
  };
  const ask = async (): Promise<void> => {
    isAsking = true;
    const asked = [...watched.values()].map(async ({ owner }) => {
      if (!(await isAlive(owner, self.host))) lose(owner.workerId);
    });
    await Promise.all(asked);
    isAsking = false;
  };

  look();
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      for (const { end } of watched.values()) end();
      watched.clear();
    },
  };
}
