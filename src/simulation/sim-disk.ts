import type { Disk, DiskFile } from '../disk/disk';
import type { Scheduler, SimProcess } from './scheduler';
import { flagsOf } from './open-flags';
import { failure, type OpenFile, type SimFileSystem } from './sim-file-system';
import { SimHandle } from './sim-handle';
import type { SimFile } from './sim-inode';
import type { Random } from './random';

const SHORT_WRITES = 0.05;

/** Answers what lies outside of the file system: `/proc`. undefined: it has no such file. */
export type Procfs = (path: string) => string | undefined;

/** The disk as a process of the simulation sees it: every operation that is awaited is a step, before which the
 *  process may be stopped or killed. */
export class SimDisk implements Disk {
  private readonly opened = new Map<
    number,
    OpenFile & { readonly by: SimProcess; readonly path: string }
  >();
  private lastFd = 1_000;

  private readonly files: SimFileSystem;
  private readonly scheduler: Scheduler;
  private readonly random: Random;

  constructor(
    private readonly of: {
      readonly files: SimFileSystem;
      readonly scheduler: Scheduler;
      readonly random: Random;
      readonly procfs: Procfs;
      /** `early_report`: whoever waits for the disk goes on before the disk is done. */
      readonly plant: 'early_report' | null;
    },
  ) {
    this.files = of.files;
    this.scheduler = of.scheduler;
    this.random = of.random;
  }

  /** The files that a process had open. */
  forget(process: SimProcess): void {
    for (const [fd, { by }] of this.opened) if (by === process) this.opened.delete(fd);
  }

  open(path: string, flags: string | number, mode = 0o666): Promise<DiskFile> {
    const meant = flagsOf(flags);
    const open = () => new SimHandle(this.openSync(path, flags, mode), this);
    return meant.creates ? this.change('open', path, open) : this.look('open', path, open);
  }

  openSync(path: string, flags: string | number, mode = 0o666): number {
    const fd = ++this.lastFd;
    const file = this.files.open(path, flagsOf(flags), mode);
    this.opened.set(fd, { ...file, path, by: this.scheduler.current });
    return fd;
  }

  closeSync(fd: number): void {
    this.opened.delete(fd);
  }

  write(fd: number, bytes: Buffer, position?: number): Promise<number> {
    const write = (part: Buffer) => this.files.write(this.require(fd), part, position);
    // A write may be short: whoever writes has to go on behind it.
    const whole = () => (this.random.chance(SHORT_WRITES) ? this.partOf(bytes) : bytes);
    return this.scheduler.step(
      `write ${bytes.length} bytes to ${this.pathOf(fd)}`,
      () => write(whole()),
      {
        actInPart: () => write(this.partOf(bytes)),
        failure: () => {
          // A full disk takes what fits.
          write(this.partOf(bytes));
          return failure('ENOSPC', 'write');
        },
      },
    );
  }

  writeSync(fd: number, bytes: Buffer | string, position?: number): number {
    return this.files.write(this.require(fd), Buffer.from(bytes), position);
  }

  truncate(fd: number, length: number): Promise<void> {
    return this.change(`truncate at ${length}`, this.pathOf(fd), () =>
      this.requireFile(fd).truncate(length),
    );
  }

  datasync(fd: number): Promise<void> {
    if (this.of.plant === 'early_report') {
      const { inode } = this.require(fd);
      this.scheduler.start(this.scheduler.current, 'datasync, late', () => inode.sync());
      return Promise.resolve();
    }
    return this.scheduler.step(`datasync ${this.pathOf(fd)}`, () => this.requireFile(fd).sync(), {
      failure: () => {
        this.requireFile(fd).failSync(this.random);
        return failure('EIO', 'fdatasync');
      },
    });
  }

  async writeFile(
    path: string,
    content: string | Buffer,
    { flag = 'w', mode }: Parameters<Disk['writeFile']>[2],
  ): Promise<void> {
    const file = await this.open(path, flag, mode);
    await file.writeFile(content);
    await file.close();
  }

  async appendFile(
    path: string,
    content: string,
    { mode }: Parameters<Disk['appendFile']>[2],
  ): Promise<void> {
    const file = await this.open(path, 'a', mode);
    await file.writeFile(content);
    await file.datasync();
    await file.close();
  }

  writeFileSync(path: string, content: string): void {
    const fd = this.openSync(path, 'w');
    this.writeSync(fd, content);
    this.closeSync(fd);
  }

  mkdir(path: string): Promise<string | undefined> {
    return this.change('mkdir', path, () => this.files.makeFolder(path));
  }

  mkdirSync(path: string): string | undefined {
    return this.files.makeFolder(path);
  }

  link(existing: string, path: string): Promise<void> {
    return this.change('link', path, () => this.files.link(existing, path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.change('rename', to, () => this.files.rename(from, to));
  }

  unlink(path: string): Promise<void> {
    return this.look('unlink', path, () => this.files.unlink(path));
  }

  rmdir(path: string): Promise<void> {
    return this.look('rmdir', path, () => this.files.removeFolder(path));
  }

  async rm(path: string): Promise<void> {
    return this.look('rm', path, () => this.rmSync(path));
  }

  rmSync(path: string): void {
    if (this.files.find(path)?.kind === 'file') this.files.unlink(path);
  }

  chmodSync(): void {
    // Who may do what is not simulated.
  }

  readSync(fd: number, into: Buffer, offset: number, length: number, position: number): number {
    return this.requireFile(fd).read(position, into.subarray(offset, offset + length));
  }

  readFile(path: string): Promise<string> {
    return this.look('read', path, () => this.readFileSync(path));
  }

  readFileSync(path: string): string {
    const text = this.of.procfs(path) ?? this.files.requireFile(path).content().toString();
    return text;
  }

  readdir(path: string): Promise<string[]> {
    return this.look('readdir', path, () => this.files.list(path));
  }

  readdirSync(path: string): string[] {
    return this.files.list(path);
  }

  stat(path: string) {
    return this.look('stat', path, () => this.files.facts(this.files.require(path)));
  }

  lstat(path: string) {
    return this.stat(path);
  }

  statSync(path: string) {
    const inode = this.files.find(path);
    return inode && this.files.facts(inode);
  }

  fstatSync(fd: number) {
    return this.files.facts(this.require(fd).inode);
  }

  access(path: string): Promise<void> {
    return this.look('access', path, () => void this.files.require(path));
  }

  existsSync(path: string): boolean {
    return this.files.find(path) !== undefined;
  }

  realpath(path: string): Promise<string> {
    return this.look('realpath', path, () => this.realpathSync(path));
  }

  realpathSync(path: string): string {
    this.files.require(path);
    return path;
  }

  sync(fd: number): Promise<void> {
    const sync = () => this.require(fd).inode.sync();
    return this.scheduler.step(`sync ${this.pathOf(fd)}`, sync, {
      failure: () => failure('EIO', 'fsync'),
    });
  }

  contentOf(fd: number): Buffer {
    return this.requireFile(fd).content();
  }

  /** A step that changes nothing. */
  look<T>(name: string, of: string | number, act: () => T): Promise<T> {
    const path = typeof of === 'number' ? this.pathOf(of) : of;
    return this.scheduler.step(`${name} ${path}`, act);
  }

  private pathOf(fd: number): string {
    return this.opened.get(fd)?.path ?? `file descriptor ${fd}`;
  }

  private require(fd: number): OpenFile {
    const file = this.opened.get(fd);
    if (file === undefined) throw failure('EBADF', `file descriptor ${fd}`);
    return file;
  }

  private requireFile(fd: number): SimFile {
    const { inode } = this.require(fd);
    if (inode.kind === 'folder') throw failure('EISDIR', `file descriptor ${fd}`);
    return inode;
  }

  private change<T>(name: string, path: string, act: () => T): Promise<T> {
    return this.scheduler.step(`${name} ${path}`, act, { failure: () => failure('ENOSPC', path) });
  }

  private partOf(bytes: Buffer): Buffer {
    return bytes.subarray(0, this.random.below(bytes.length + 1));
  }
}
