import { watch, type FSWatcher } from 'node:fs';
import { Sleepers } from '../sleepers';

/** The net under the file system's own notices, which some file systems (network, containers) do not send. */
const POLL_MS = 1_000;

/** Tells followers when a file in a folder has changed. One watch, however many followers. */
export class FolderWatch {
  private watcher: FSWatcher | null = null;
  private readonly sleepers = new Sleepers(POLL_MS);
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
    return this.sleepers.version(file);
  }

  /** Resolves when the file has changed since that version, when it is time to poll, or on abort. */
  changed(file: string, since: number, signal: AbortSignal): Promise<void> {
    return this.sleepers.changed(file, since, signal);
  }

  /** Also called by writers of this process, which need no detour through the kernel. null: any file. */
  wake(file: string | null): void {
    this.sleepers.wake(file);
  }

  stop(): void {
    this.watcher?.close();
    this.watcher = null;
  }
}
