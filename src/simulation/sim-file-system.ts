import { basename, dirname } from 'node:path';
import type { FileFacts } from '../disk/disk';
import type { OpenFlags } from './open-flags';
import type { Random } from './random';
import { SimFile, SimFolder, type SimInode } from './sim-inode';

/** What `open` returned. */
export interface OpenFile {
  readonly inode: SimInode;
  readonly isAppending: boolean;
}

/** The files of the simulated machine. Every operation happens at once; who may be stopped before it is not its
 *  business. Fails: errors with a `code`, as `node:fs` does. */
export class SimFileSystem {
  private readonly root = new SimFolder(1, 0);
  private inodes = 1;

  constructor(private readonly nowMs: () => number) {}

  find(path: string): SimInode | undefined {
    let inode: SimInode = this.root;
    for (const name of path.split('/')) {
      if (name === '') continue;
      const next: SimInode | undefined = inode.kind === 'folder' ? inode.find(name) : undefined;
      if (next === undefined) return undefined;
      inode = next;
    }
    return inode;
  }

  require(path: string): SimInode {
    const inode = this.find(path);
    if (inode === undefined) throw failure('ENOENT', path);
    return inode;
  }

  requireFile(path: string): SimFile {
    const inode = this.require(path);
    if (inode.kind === 'folder') throw failure('EISDIR', path);
    return inode;
  }

  list(path: string): string[] {
    const inode = this.require(path);
    if (inode.kind === 'file') throw failure('ENOTDIR', path);
    return inode.list();
  }

  open(path: string, flags: OpenFlags, mode: number): OpenFile {
    const known = this.find(path);
    if (known !== undefined && flags.isExclusive) throw failure('EEXIST', path);
    if (known === undefined && !flags.creates) throw failure('ENOENT', path);
    const inode = known ?? this.create(path, mode);
    if (flags.truncates && inode.kind === 'file') inode.truncate(0);
    return { inode, isAppending: flags.appends };
  }

  write({ inode, isAppending }: OpenFile, bytes: Buffer, position: number | undefined): number {
    if (inode.kind === 'folder') throw failure('EISDIR', 'a folder');
    inode.write(isAppending || position === undefined ? inode.size : position, bytes);
    inode.mtimeMs = this.nowMs();
    return bytes.length;
  }

  /** Returns the first folder that was made. */
  makeFolder(path: string): string | undefined {
    if (this.find(path) !== undefined) return undefined;
    const above = this.makeFolder(dirname(path));
    const folder = new SimFolder(++this.inodes, this.nowMs());
    this.folderOf(path).change({ set: { name: basename(path), inode: folder } });
    return above ?? path;
  }

  link(existing: string, path: string): void {
    const file = this.requireFile(existing);
    if (this.find(path) !== undefined) throw failure('EEXIST', path);
    this.folderOf(path).change({ set: { name: basename(path), inode: file } });
    file.nlink += 1;
  }

  rename(from: string, to: string): void {
    const file = this.requireFile(from);
    const replaced = this.find(to);
    if (replaced?.kind === 'file') replaced.nlink -= 1;
    const set = { name: basename(to), inode: file };
    this.folderOf(to).change({ remove: basename(from), set });
  }

  unlink(path: string): void {
    const file = this.requireFile(path);
    file.nlink -= 1;
    this.folderOf(path).change({ remove: basename(path) });
  }

  removeFolder(path: string): void {
    if (this.list(path).length > 0) throw failure('ENOTEMPTY', path);
    this.folderOf(path).change({ remove: basename(path) });
  }

  facts(inode: SimInode): FileFacts {
    return new SimFacts(inode);
  }

  syncAll(): void {
    const visit = (folder: SimFolder): void => {
      folder.sync();
      for (const inode of folder.inodes()) {
        if (inode.kind === 'folder') visit(inode);
        else inode.sync();
      }
    };
    visit(this.root);
  }

  /** Only what was synced is there for certain. */
  cutPower(random: Random): void {
    const links = new Map<SimInode, number>();
    const visit = (folder: SimFolder): void => {
      folder.cutPower(random);
      for (const inode of folder.inodes()) {
        links.set(inode, (links.get(inode) ?? 0) + 1);
        if (inode.kind === 'folder') visit(inode);
      }
    };
    visit(this.root);
    for (const [inode, count] of links) {
      if (inode.kind === 'folder') continue;
      inode.cutPower(random);
      inode.nlink = count;
    }
  }

  private create(path: string, mode: number): SimFile {
    const file = new SimFile(++this.inodes, this.nowMs(), mode);
    file.nlink = 1;
    this.folderOf(path).change({ set: { name: basename(path), inode: file } });
    return file;
  }

  private folderOf(path: string): SimFolder {
    const folder = this.require(dirname(path));
    if (folder.kind === 'file') throw failure('ENOTDIR', path);
    return folder;
  }
}

class SimFacts implements FileFacts {
  readonly dev = 1;
  readonly ino: number;
  readonly nlink: number;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  private readonly kind: SimInode['kind'];

  constructor(inode: SimInode) {
    this.ino = inode.ino;
    this.nlink = inode.nlink;
    this.size = inode.size;
    this.mode = inode.mode;
    this.mtimeMs = inode.mtimeMs;
    this.birthtimeMs = inode.birthtimeMs;
    this.kind = inode.kind;
  }

  isFile(): boolean {
    return this.kind === 'file';
  }

  isDirectory(): boolean {
    return this.kind === 'folder';
  }

  isSymbolicLink(): boolean {
    return false;
  }
}

export function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: simulated, ${path}`), { code });
}
