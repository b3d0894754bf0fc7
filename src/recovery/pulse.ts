import type { RegisteredWorker, WorkerRegister } from '../transcript/worker-register';

export interface Pulse {
  /** The Worker leaves in order. Never fails: others find out by its silence. */
  stop(): Promise<void>;
}

const SPEAK_EVERY_MS = 3_000;
/** A connection that was cut off without a word holds a statement up for a minute; the next goes by another one. */
const MOST_AT_ONCE = 3;

/** Says in the store that this Worker lives, from when this resolves until it stops. A process that is stopped, or
 *  cut off from the store, falls silent. `onWanted`: another Worker asks for the session of that id.
 *  Fails: StoreError when the store does not answer. */
export async function beginPulse(
  workers: WorkerRegister,
  worker: RegisteredWorker,
  onWanted: (sessionId: string) => void,
): Promise<Pulse> {
  await workers.tell(worker);
  await workers.forgetLongGone();
  let speaking = 0;
  const speak = async (): Promise<void> => {
    if (speaking === MOST_AT_ONCE) return;
    speaking += 1;
    // What was not heard is said again.
    const wanted = await workers.tell(worker).catch(() => []);
    speaking -= 1;
    wanted.forEach(onWanted);
  };
  const timer = setInterval(() => void speak(), SPEAK_EVERY_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await workers.leave(worker.owner).catch(() => undefined);
    },
  };
}
