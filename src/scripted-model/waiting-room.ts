export interface WaitOptions {
  /** Default: a minute, for what hangs. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;

interface Waiter {
  readonly check: () => void;
  readonly fail: (error: Error) => void;
}

/** Lets callers wait until something is so, without polling: whoever changes something says so. */
export class WaitingRoom {
  readonly #waiters = new Set<Waiter>();

  /** Fails: Error after the time limit, or when the room closes, saying what was awaited. */
  wait<T>(find: () => T | undefined, what: string, options: WaitOptions = {}): Promise<T> {
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const found = find();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        check: () => {
          const value = find();
          if (value === undefined) return;
          leave();
          resolve(value);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const timer = setTimeout(
        () => waiter.fail(new Error(`${what}: not within ${timeoutMs} ms.`)),
        timeoutMs,
      );
      this.#waiters.add(waiter);
    });
  }

  changed(): void {
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  close(reason: string): void {
    for (const waiter of [...this.#waiters]) waiter.fail(new Error(reason));
  }
}
