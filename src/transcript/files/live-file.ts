import { closeSync, openSync, writeSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LiveEvent } from '../session-log';
import type { LiveWriter } from '../store';
import { errnoOf, toStoreError, unlessMissing } from './disk-error';
import type { FolderWatch } from './folder-watch';
import { END_LINE } from './live-reader';

const FLUSH_MS = 5;

/** Deltas of one model stream: one file that lives as long as the stream. Never waits for the disk. */
export class LiveFile implements LiveWriter {
  readonly name: string;
  private readonly fd: number;
  private buffered = '';
  private timer: NodeJS.Timeout | null = null;
  private flushedAt = 0;
  private hasFailed = false;
  private isClosed = false;

  constructor(
    private readonly path: string,
    private readonly watch: FolderWatch,
  ) {
    this.name = basename(path);
    try {
      this.fd = openSync(path, 'wx', 0o600);
    } catch (error) {
      throw toStoreError(error, 'create', path);
    }
  }

  write(event: LiveEvent): void {
    if (this.hasFailed || this.isClosed) return;
    this.buffered += `${JSON.stringify(event)}\n`;
    const waitMs = this.flushedAt + FLUSH_MS - Date.now();
    if (waitMs <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), waitMs);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.buffered += END_LINE;
    this.flush();
    closeSync(this.fd);
    // The name goes; who has the file open still reads to the end line.
    await unlink(this.path).catch(() => undefined);
    this.watch.wake(this.name);
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const text = this.buffered;
    this.buffered = '';
    this.flushedAt = Date.now();
    try {
      writeSync(this.fd, text);
    } catch {
      // Deltas are a courtesy: a full disk must not end the model's stream. Its commit will say so.
      this.hasFailed = true;
    }
    this.watch.wake(this.name);
  }
}

/** Ends the live files that holders before this epoch have left behind. */
export async function endLiveFiles(folder: string, epoch: number): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (Number(name.split('-')[0]) >= epoch) continue;
    const path = join(folder, name);
    try {
      const fd = openSync(path, 'a');
      writeSync(fd, `\n${END_LINE}`);
      closeSync(fd);
      await unlink(path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw toStoreError(error, 'end the live file', path);
    }
  }
}
