import { setMaxListeners } from 'node:events';

/** Followers that wait for something to change, by its name. */
export class Sleepers {
  private readonly versions = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  /** `pollMs`: how long one waits at most, for not every change is told. */
  constructor(private readonly pollMs: number) {}

  /** Take it before looking at what may change: `changed` then misses nothing that happens after the look. */
  version(name: string): number {
    return this.versions.get(name) ?? 0;
  }

  /** Resolves when it has changed since that version, when it is time to poll, or on abort. */
  changed(name: string, since: number, signal: AbortSignal): Promise<void> {
    if (this.version(name) !== since || signal.aborted) return Promise.resolve();
    // One signal may end any number of followers; more than ten listeners are no leak.
    setMaxListeners(0, signal);
    return new Promise((resolve) => {
      const waiting = this.waiting.get(name) ?? new Set();
      this.waiting.set(name, waiting);
      const awake = () => {
        waiting.delete(awake);
        clearTimeout(timer);
        signal.removeEventListener('abort', awake);
        resolve();
      };
      const timer = setTimeout(awake, this.pollMs);
      signal.addEventListener('abort', awake);
      waiting.add(awake);
    });
  }

  /** null: whatever anybody waits for. */
  wake(name: string | null): void {
    const names = name === null ? [...this.waiting.keys()] : [name];
    for (const one of names) {
      this.versions.set(one, this.version(one) + 1);
      for (const awake of [...(this.waiting.get(one) ?? [])]) awake();
    }
  }

  forget(name: string): void {
    this.versions.delete(name);
    if (this.waiting.get(name)?.size === 0) this.waiting.delete(name);
  }
}
