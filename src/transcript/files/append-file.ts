import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from './atomic-write';
import { toStoreError } from './disk-error';
import { fileIdentity, lookAt } from './file-identity';
import type { Fence } from './lease-folder';
import { endOfLines } from './line-reader';
import { keepTorn } from './torn-bytes';

const toDisk = promisify(fdatasync);

export interface Append {
  readonly text: string;
  /** false: in the page cache is enough; it survives the process, not a power cut. */
  readonly durable: boolean;
}

/** The writing end of a file that only grows. One write and one fdatasync an append; a failed one is taken back.
 *  The file is opened, and only then the fence is asked: see lease-folder.ts for why that order is safe. */
export class AppendFile {
  private opened: { readonly fd: number; readonly identity: string } | null = null;
  private needsFolderSync = true;
  /** Where our last append ended, with a whole line. */
  private wholeEnd = 0;

  constructor(
    readonly path: string,
    private readonly options: {
      /** Where bytes go that are cut off. */
      readonly tornFolder: string;
      /** true: lines of a failed append stay when they are whole, because observers may have read them. */
      readonly keepsWholeLines: boolean;
    },
  ) {}

  /** Returns the offset at which the text begins.
   *  Fails: StoreError `lease_stale`; `no_space` or `io` with the file as it was before. */
  async append(fence: Fence, { text, durable }: Append): Promise<number> {
    const { fd, size: start } = this.open();
    fence();
    const bytes = Buffer.from(text);
    try {
      writeAll(fd, bytes);
      if (durable) await this.sync(fd);
    } catch (error) {
      this.takeBack(fd, start);
      throw toStoreError(error, 'append to', this.path);
    }
    fence();
    this.wholeEnd = text.endsWith('\n') ? start + bytes.length : 0;
    return start;
  }

  /** Cuts off what lies behind `end`, and keeps it for whoever looks into the damage. */
  async cut(fence: Fence, end: number): Promise<void> {
    const { fd } = this.open();
    fence();
    try {
      await keepTorn({ fd, from: end, path: this.path, folder: this.options.tornFolder });
      fence();
      ftruncateSync(fd, end);
      await toDisk(fd);
    } catch (error) {
      throw toStoreError(error, 'cut the torn tail of', this.path);
    }
  }

  /** Cuts off a last line without newline. Returns where the file ends now. */
  async cutHalfLine(fence: Fence): Promise<number> {
    const now = lookAt(this.path);
    const isOurs = now.identity === this.opened?.identity && now.size === this.wholeEnd;
    if (now.size === 0 || isOurs) return now.size;
    const { fd, size } = this.open();
    const end = endOfLines(fd);
    if (end < size) await this.cut(fence, end);
    return end;
  }

  close(): void {
    if (this.opened !== null) closeSync(this.opened.fd);
    this.opened = null;
  }

  /** The size is that of the moment. */
  private open(): { readonly fd: number; readonly size: number } {
    const now = lookAt(this.path);
    if (this.opened?.identity === now.identity) return { fd: this.opened.fd, size: now.size };
    this.close();
    try {
      const fd = openSync(this.path, 'a+', 0o600);
      const stat = fstatSync(fd);
      this.opened = { fd, identity: fileIdentity(stat) };
      this.needsFolderSync = true;
      return { fd, size: stat.size };
    } catch (error) {
      throw toStoreError(error, 'open', this.path);
    }
  }

  private async sync(fd: number): Promise<void> {
    await toDisk(fd);
    if (!this.needsFolderSync) return;
    await syncFolder(dirname(this.path));
    this.needsFolderSync = false;
  }

  private takeBack(fd: number, start: number): void {
    try {
      ftruncateSync(fd, this.options.keepsWholeLines ? Math.max(start, endOfLines(fd)) : start);
    } catch {
      // The torn tail stays for now: the next append or lease holder finds it and cuts it.
    }
    this.close();
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  let written = writeSync(fd, bytes);
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}
