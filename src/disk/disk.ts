import type { Stats } from 'node:fs';
import { realDisk } from './real-disk';

/** Every file operation with which everloop keeps something, and the looks that a simulated disk has to answer.
 *  Names, arguments and errors are those of `node:fs`, which this is on a real disk. */
export interface Disk extends DiskReads {
  open(path: string, flags: string | number, mode?: number): Promise<DiskFile>;
  openSync(path: string, flags: string, mode?: number): number;
  closeSync(fd: number): void;

  /** Writes at `position`, or behind the end of a file that is opened to append. Returns the number of bytes.
   *  `write` and `truncate` are done at once on a real disk, where a trip through the thread pool costs more than
   *  they do. Await them all the same: on a simulated disk a process may be stopped before them. */
  write(fd: number, bytes: Buffer, position?: number): number | Promise<number>;
  writeSync(fd: number, bytes: Buffer | string, position?: number): number;
  truncate(fd: number, length: number): void | Promise<void>;
  datasync(fd: number): Promise<void>;
  writeFile(path: string, content: string | Buffer, options: WriteOptions): Promise<void>;
  appendFile(path: string, content: string, options: AppendOptions): Promise<void>;
  writeFileSync(path: string, content: string, options: WriteOptions): void;

  mkdir(path: string, options: FolderOptions): Promise<string | undefined>;
  mkdirSync(path: string, options: FolderOptions): string | undefined;
  link(existing: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** An empty folder. */
  rmdir(path: string): Promise<void>;
  rm(path: string, options: RemoveOptions): Promise<void>;
  rmSync(path: string, options: RemoveOptions): void;
  chmodSync(path: string, mode: number): void;
}

interface DiskReads {
  readSync(fd: number, into: Buffer, offset: number, length: number, position: number): number;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readFileSync(path: string, encoding: 'utf8' | 'latin1'): string;
  readdir(path: string): Promise<string[]>;
  readdirSync(path: string): string[];
  stat(path: string): Promise<FileFacts>;
  lstat(path: string): Promise<FileFacts>;
  /** undefined: there is no such file. */
  statSync(path: string): FileFacts | undefined;
  fstatSync(fd: number): FileFacts;
  /** Fails unless the file is there and may be used so. */
  access(path: string, mode: number): Promise<void>;
  existsSync(path: string): boolean;
  realpath(path: string): Promise<string>;
  realpathSync(path: string): string;
}

/** An open file, as `node:fs/promises` has them. */
export interface DiskFile {
  readonly fd: number;
  writeFile(content: string | Buffer): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  chmod(mode: number): Promise<void>;
  read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number; readonly buffer: Buffer }>;
  readFile(): Promise<Buffer>;
  stat(): Promise<FileFacts>;
  close(): Promise<void>;
}

export type FileFacts = Pick<
  Stats,
  | 'dev'
  | 'ino'
  | 'nlink'
  | 'size'
  | 'mode'
  | 'mtimeMs'
  | 'birthtimeMs'
  | 'isFile'
  | 'isDirectory'
  | 'isSymbolicLink'
>;

interface WriteOptions {
  /** `wx`: fails when the file is there. */
  readonly flag?: 'w' | 'wx';
  readonly mode: number;
}

interface AppendOptions {
  readonly mode: number;
  /** Waits for the disk. */
  readonly flush: true;
}

interface FolderOptions {
  readonly recursive: boolean;
  readonly mode?: number;
}

interface RemoveOptions {
  readonly recursive?: boolean;
  /** A missing file is no failure. */
  readonly force: true;
}

/** The disk of this process. */
export let disk: Disk = realDisk;

/** Puts another disk in the place of the real one. Returns how to put it back. */
export function useDisk(other: Disk): () => void {
  const before = disk;
  disk = other;
  return () => (disk = before);
}
