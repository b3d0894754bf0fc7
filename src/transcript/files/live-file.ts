import { basename, join } from 'node:path';
import { disk } from '../../disk/disk';
import { errnoOf, toStoreError, unlessMissing } from './disk-error';
import type { FolderWatch } from './folder-watch';
import { CLOSED_LINE, END_LINE, OPEN_LINE } from './live-reader';

/** A file with more than this in it takes no further stream. */
const FULL_BYTES = 1 << 20;

/** A file of deltas: streams lie in it one after the other, since a file for each would cost every model reply a
 *  name that is made and removed. Never waits for the disk. */
export class LiveFile {
  private readonly fd: number;
  private end = 0;
  private begin = 0;
  private hasFailed = false;

  constructor(
    private readonly path: string,
    private readonly watch: FolderWatch,
  ) {
    try {
      this.fd = disk.openSync(path, 'wx', 0o600);
    } catch (error) {
      throw toStoreError(error, 'create', path);
    }
  }

  /** Whether another stream may begin in it. A file that was taken away has no readers. */
  get hasRoom(): boolean {
    return !this.hasFailed && this.end < FULL_BYTES && disk.fstatSync(this.fd).nlink > 0;
  }

  /** Begins the next stream and returns its name. */
  beginStream(): string {
    this.begin = this.end;
    this.write(OPEN_LINE);
    return `${basename(this.path)}.${this.begin}`;
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    if (this.put(bytes, this.end)) this.end += bytes.length;
    this.watch.wake(basename(this.path));
  }

  /** Whoever follows the stream reads to the end line; whoever comes from now on finds it closed. */
  endStream(): void {
    this.write(END_LINE);
    this.put(Buffer.from(CLOSED_LINE), this.begin);
  }

  /** The name goes; who has the file open still reads to the end line. */
  async remove(): Promise<void> {
    disk.closeSync(this.fd);
    await disk.unlink(this.path).catch(() => undefined);
    this.watch.wake(basename(this.path));
  }

  /** Deltas are a courtesy: a full disk must not end the model's stream. Its commit will say so. */
  private put(bytes: Buffer, at: number): boolean {
    if (this.hasFailed) return false;
    try {
      this.hasFailed = disk.writeSync(this.fd, bytes, at) < bytes.length;
    } catch {
      this.hasFailed = true;
    }
    return !this.hasFailed;
  }
}

/** Ends the live files that holders before this epoch have left behind. */
export async function endLiveFiles(folder: string, epoch: number): Promise<void> {
  for (const name of (await unlessMissing(disk.readdir(folder))) ?? []) {
    if (Number(name.split('-')[0]) >= epoch) continue;
    const path = join(folder, name);
    try {
      const fd = disk.openSync(path, 'a');
      disk.writeSync(fd, `\n${END_LINE}`);
      disk.closeSync(fd);
      await disk.unlink(path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw toStoreError(error, 'end the live file', path);
    }
  }
}
