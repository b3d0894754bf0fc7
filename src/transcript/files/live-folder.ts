import { join } from 'node:path';
import type { LiveEvent } from '../session-log';
import type { Lease, LiveWriter } from '../store';
import { makeFolder } from './atomic-write';
import { requireFileName } from './file-name';
import { FolderWatch } from './folder-watch';
import type { Fence } from './lease-folder';
import { LiveFile } from './live-file';
import { followLiveFile } from './live-reader';
import { LiveStream } from './live-stream';

/** The live files of one session: as many as there were streams at a time. */
export class LiveFolder {
  private readonly watch: FolderWatch;
  /** Files that no stream is using. */
  private idle: LiveFile[] = [];
  private count = 0;

  constructor(private readonly path: string) {
    this.watch = new FolderWatch(path);
  }

  async open(lease: Lease, fence: Fence): Promise<LiveWriter> {
    fence();
    const file = (await this.takeIdle()) ?? (await this.create(lease, fence));
    return new LiveStream(file, async (used) => {
      if (used.hasRoom) this.idle.push(used);
      else await used.remove();
    });
  }

  async *follow(live: string, signal: AbortSignal): AsyncGenerator<LiveEvent, void> {
    const [, name = live, begin = ''] = /^(.+)\.(\d+)$/.exec(live) ?? [];
    const place = { path: join(this.path, requireFileName(name)), begin: Number(begin) };
    yield* followLiveFile(place, this.watch, signal);
  }

  /** Removes the files that no stream is using. */
  async rest(): Promise<void> {
    const idle = this.idle;
    this.idle = [];
    for (const file of idle) await file.remove();
  }

  private async takeIdle(): Promise<LiveFile | undefined> {
    for (let file = this.idle.pop(); file !== undefined; file = this.idle.pop()) {
      if (file.hasRoom) return file;
      // The holder of another lease has ended it.
      await file.remove();
    }
    return undefined;
  }

  private async create(lease: Lease, fence: Fence): Promise<LiveFile> {
    await makeFolder(this.path);
    fence();
    this.count += 1;
    // The epoch makes the name unique over all holders, and tells the next one whose files are over.
    return new LiveFile(join(this.path, `${lease.epoch}-${this.count}`), this.watch);
  }
}
