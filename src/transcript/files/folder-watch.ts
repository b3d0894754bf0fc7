import { setMaxListeners } from 'node:events';
import { watch, type FSWatcher } from 'node:fs';

/** The net under the file system's own notices, which some file systems (network, containers) do not send. */
const POLL_MS = 1_000;

/** Tells followers when a file in a folder has changed. One watch, however many followers. */
export class FolderWatch {
  private watcher: FSWatcher | null = null;
  private readonly versions = new Map<string, number>();
  private readonly sleepers = new Map<string, Set<() => void>>();
  private users = 0;

  constructor(private readonly folder: string) {}

  /** Begins to watch; call `leave` once for each `enter`. The folder must be there. */
  enter(): void {
    this.users += 1;
    if (this.watcher !== null) return;
    try {
      this.watcher = watch(this.folder, { persistent: false }, (_event, name) => this.wake(name));
      // The folder was removed, or the system ran out of watches: the poll goes on alone.
      this.watcher.on('error', () => this.stop());
    } catch {
      this.watcher = null;
    }
  }

  leave(): void {
    this.users -= 1;
    if (this.users === 0) this.stop();
  }

  /** Take it before looking at the file: `changed` then misses nothing that happens after the look. */
  version(file: string): number {
    return this.versions.get(file) ?? 0;
  }

  /** Resolves when the file has changed since that version, when it is time to poll, or on abort. */
  changed(file: string, since: number, signal: AbortSignal): Promise<void> {
    if (this.version(file) !== since || signal.aborted) return Promise.resolve();
    // One signal may end any number of followers; more than ten listeners are no leak.
    setMaxListeners(0, signal);
    return new Promise((resolve) => {
      const sleepers = this.sleepers.get(file) ?? new Set();
      this.sleepers.set(file, sleepers);
      const awake = () => {
        sleepers.delete(awake);
        clearTimeout(timer);
        signal.removeEventListener('abort', awake);
        resolve();
      };
      const timer = setTimeout(awake, POLL_MS);
      signal.addEventListener('abort', awake);
      sleepers.add(awake);
    });
  }

  /** Also called by writers of this process, which need no detour through the kernel. null: any file. */
  wake(file: string | null): void {
    const files = file === null ? [...this.sleepers.keys()] : [file];
    for (const one of files) {
      this.versions.set(one, this.version(one) + 1);
      for (const awake of [...(this.sleepers.get(one) ?? [])]) awake();
    }
  }

  stop(): void {
    this.watcher?.close();
    this.watcher = null;
  }
}
