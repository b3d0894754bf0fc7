import { dirname } from 'node:path';
import { disk } from '../../disk/disk';
import { syncFolder } from '../../disk/folder';
import { toStoreError } from './disk-error';
import { fileIdentity, lookAt } from './file-identity';
import type { Fence } from './lease-folder';
import { endOfLines } from './line-reader';
import { keepTorn } from './torn-bytes';

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
  /** true: the disk failed, and may have lost lines that did not wait for it. What comes next must not stand in
   *  the same line as what is left of them. */
  private isSuspect = false;
  /** An append that failed and could not be taken back: its bytes can be read, and may never reach the disk. */
  private failed: { readonly fd: number; readonly start: number } | null = null;

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
    await this.settle();
    const { fd, size } = this.open();
    fence();
    const start = size + (this.isSuspect ? 1 : 0);
    const bytes = Buffer.from(this.isSuspect ? `\n${text}` : text);
    try {
      await writeAll(fd, bytes);
      if (durable) await this.sync(fd);
    } catch (error) {
      this.isSuspect = true;
      this.failed = { fd, start: size };
      await this.settle().catch(() => undefined);
      throw toStoreError(error, 'append to', this.path);
    }
    fence();
    if (durable) this.isSuspect = false;
    this.wholeEnd = text.endsWith('\n') ? size + bytes.length : 0;
    return start;
  }

  /** false: the file ends with an append that failed, and that nobody may take for one that did not. */
  get isSettled(): boolean {
    return this.failed === null;
  }

  /** Takes a failed append back. Fails: StoreError when that fails as well. */
  async settle(): Promise<void> {
    if (this.failed === null) return;
    const { fd, start } = this.failed;
    try {
      const end = this.options.keepsWholeLines ? Math.max(start, endOfLines(fd)) : start;
      await disk.truncate(fd, end);
    } catch (error) {
      throw toStoreError(error, 'take back an append to', this.path);
    }
    this.failed = null;
    this.close();
  }

  /** Cuts off what lies behind `end`, and keeps it for whoever looks into the damage. */
  async cut(fence: Fence, end: number): Promise<void> {
    const { fd } = this.open();
    fence();
    try {
      await keepTorn({ fd, from: end, path: this.path, folder: this.options.tornFolder });
      fence();
      await disk.truncate(fd, end);
      await disk.datasync(fd);
    } catch (error) {
      throw toStoreError(error, 'cut the torn tail of', this.path);
    }
  }

  /** Cuts off a last line without newline. Returns where the file ends now. */
  async cutHalfLine(fence: Fence): Promise<number> {
    await this.settle();
    const now = lookAt(this.path);
    const isOurs = now.identity === this.opened?.identity && now.size === this.wholeEnd;
    if (now.size === 0 || isOurs) return now.size;
    const { fd, size } = this.open();
    const end = endOfLines(fd);
    if (end < size) await this.cut(fence, end);
    return end;
  }

  close(): void {
    if (this.failed !== null) return;
    if (this.opened !== null) disk.closeSync(this.opened.fd);
    this.opened = null;
  }

  /** The size is that of the moment. */
  private open(): { readonly fd: number; readonly size: number } {
    const now = lookAt(this.path);
    if (this.opened?.identity === now.identity) return { fd: this.opened.fd, size: now.size };
    this.close();
    try {
      const fd = disk.openSync(this.path, 'a+', 0o600);
      const stat = disk.fstatSync(fd);
      this.opened = { fd, identity: fileIdentity(stat) };
      this.needsFolderSync = true;
      return { fd, size: stat.size };
    } catch (error) {
      throw toStoreError(error, 'open', this.path);
    }
  }

  private async sync(fd: number): Promise<void> {
    await disk.datasync(fd);
    if (!this.needsFolderSync) return;
    await syncFolder(dirname(this.path));
    this.needsFolderSync = false;
  }
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  let written = await disk.write(fd, bytes);
  while (written < bytes.length) written += await disk.write(fd, bytes.subarray(written));
}
