import type {
  RegisteredWorker,
  WorkerLoad,
  WorkerOrders,
  WorkerRegister,
} from '../transcript/worker-register';

export interface Pulse {
  /** The Worker leaves in order. Never fails: others find out by its silence. */
  stop(): Promise<void>;
}

const SPEAK_EVERY_MS = 3_000;
/** A connection that was cut off without a word holds a statement up for a minute; the next goes by another one. */
const MOST_AT_ONCE = 3;

/** What is told with each word, and what is heard in answer to it. */
export interface PulseListener {
  readonly load: () => WorkerLoad;
  readonly onOrders: (orders: WorkerOrders) => void;
}

/** Says in the store that this Worker lives, from when this resolves until it stops. A process that is stopped, or
 *  cut off from the store, falls silent. The first orders have come when this resolves.
 *  Fails: StoreError when the store does not answer. */
export async function beginPulse(
  workers: WorkerRegister,
  worker: RegisteredWorker,
  { load, onOrders }: PulseListener,
): Promise<Pulse> {
  onOrders(await workers.tell(worker, load()));
  await workers.forgetLongGone();
  let speaking = 0;
  const speak = async (): Promise<void> => {
    if (speaking === MOST_AT_ONCE) return;
    speaking += 1;
    // What was not heard is said again.
    const orders = await workers.tell(worker, load()).catch(() => null);
    speaking -= 1;
    if (orders !== null) onOrders(orders);
  };
  const timer = setInterval(() => void speak(), SPEAK_EVERY_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await workers.leave(worker.owner).catch(() => undefined);
    },
  };
}
