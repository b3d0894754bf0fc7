import * as fs from 'node:fs';
import * as files from 'node:fs/promises';
import { promisify } from 'node:util';
import { failpoint } from '../failpoint/failpoint';
import type { Disk, DiskFile } from './disk';

/** `node:fs`, with a numbered place before and behind everything that changes a file or makes it last. */
export const realDisk: Disk = {
  open: async (path, flags, mode) =>
    new RealFile(await (mayChange(flags) ? create : files.open)(path, flags, mode)),
  openSync: (path, flags, mode) => (mayChange(flags) ? createSync : fs.openSync)(path, flags, mode),
  closeSync: fs.closeSync,

  write: atOnce('write', write),
  writeSync: atOnce('write', write),
  truncate: atOnce('truncate', fs.ftruncateSync),
  datasync: waiting('sync', promisify(fs.fdatasync)),
  writeFile: waiting('write', files.writeFile),
  appendFile: waiting('write', files.appendFile),
  writeFileSync: atOnce('write', fs.writeFileSync),

  mkdir: waiting('mkdir', files.mkdir),
  mkdirSync: atOnce('mkdir', fs.mkdirSync),
  link: waiting('link', files.link),
  rename: waiting('rename', files.rename),
  unlink: waiting('remove', files.unlink),
  rmdir: waiting('remove', (path: string) => files.rmdir(path)),
  rm: waiting('remove', files.rm),
  rmSync: atOnce('remove', fs.rmSync),
  chmodSync: atOnce('chmod', fs.chmodSync),

  readSync: fs.readSync,
  readFile: files.readFile,
  readFileSync: fs.readFileSync,
  readdir: (path) => files.readdir(path),
  readdirSync: (path) => fs.readdirSync(path),
  stat: looking((path: string) => fs.statSync(path)),
  lstat: looking((path: string) => fs.lstatSync(path)),
  statSync: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  fstatSync: (fd) => fs.fstatSync(fd),
  access: files.access,
  existsSync: fs.existsSync,
  realpath: looking((path: string) => fs.realpathSync.native(path)),
  realpathSync: (path) => fs.realpathSync.native(path),
};

/** Read sooner than the thread pool could be asked. A file without a size, as in /proc, is read to its end. */
const READ_AT_ONCE_BYTES = 64 * 1024;

const create = waiting('open', files.open);
const factsOf = looking((fd: number) => fs.fstatSync(fd));
const createSync = atOnce('open', fs.openSync);

const writeWhole = waiting('write', (handle: files.FileHandle, content: string | Buffer) =>
  handle.writeFile(content),
);
const syncContent = waiting('sync', (handle: files.FileHandle) => handle.datasync());
const syncAll = waiting('sync', (handle: files.FileHandle) => handle.sync());
const changeMode = waiting('chmod', (handle: files.FileHandle, mode: number) => handle.chmod(mode));

class RealFile implements DiskFile {
  constructor(private readonly handle: files.FileHandle) {}

  get fd(): number {
    return this.handle.fd;
  }

  writeFile(content: string | Buffer): Promise<void> {
    return writeWhole(this.handle, content);
  }

  datasync(): Promise<void> {
    return syncContent(this.handle);
  }

  sync(): Promise<void> {
    return syncAll(this.handle);
  }

  chmod(mode: number): Promise<void> {
    return changeMode(this.handle, mode);
  }

  read(into: Buffer, offset: number, length: number, position: number) {
    return this.handle.read(into, offset, length, position);
  }

  async readFile(): Promise<Buffer> {
    const { size } = fs.fstatSync(this.fd);
    if (size === 0 || size > READ_AT_ONCE_BYTES) return this.handle.readFile();
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, fs.readSync(this.fd, bytes, 0, size, 0));
  }

  stat(): Promise<fs.Stats> {
    return factsOf(this.fd);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

function atOnce<Args extends unknown[], Result>(
  name: string,
  operation: (...args: Args) => Result,
): (...args: Args) => Result {
  const [before, after] = [`disk.${name}.before`, `disk.${name}.after`];
  return (...args) => {
    failpoint(before);
    const result = operation(...args);
    failpoint(after);
    return result;
  };
}

/** Over sooner than the thread pool could be asked; fails as a promise does. */
function looking<Of, Result>(look: (of: Of) => Result): (of: Of) => Promise<Result> {
  return (of) =>
    new Promise((resolve) => {
      resolve(look(of));
    });
}

function waiting<Args extends unknown[], Result>(
  name: string,
  operation: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const [before, after] = [`disk.${name}.before`, `disk.${name}.after`];
  return async (...args) => {
    failpoint(before);
    const result = await operation(...args);
    failpoint(after);
    return result;
  };
}

function write(fd: number, bytes: Buffer | string, position?: number): number {
  return typeof bytes === 'string'
    ? fs.writeSync(fd, bytes, position)
    : fs.writeSync(fd, bytes, 0, bytes.length, position);
}

const CHANGING =
  fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;

function mayChange(flags: string | number): boolean {
  return typeof flags === 'string' ? flags !== 'r' : (flags & CHANGING) !== 0;
}
