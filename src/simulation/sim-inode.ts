import type { Random } from './random';
import { SimBytes } from './sim-bytes';

/** A change that is in the page cache and not on the platter yet. */
type ContentChange =
  | { readonly type: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'truncate'; readonly length: number };

/** A file: its content as processes see it, and as a power cut would leave it. */
export class SimFile {
  readonly kind = 'file';
  nlink = 0;
  mtimeMs: number;
  mode: number;
  private cache = new SimBytes();
  private platter = new SimBytes();
  private unsynced: ContentChange[] = [];

  constructor(
    readonly ino: number,
    readonly birthtimeMs: number,
    mode: number,
  ) {
    this.mtimeMs = birthtimeMs;
    this.mode = mode;
  }

  get size(): number {
    return this.cache.size;
  }

  read(from: number, into: Buffer): number {
    return this.cache.read(from, into);
  }

  content(): Buffer {
    return this.cache.all();
  }

  write(at: number, bytes: Buffer): void {
    this.change({ type: 'write', at, bytes: Buffer.from(bytes) });
  }

  truncate(length: number): void {
    this.change({ type: 'truncate', length });
  }

  sync(): void {
    for (const change of this.unsynced) apply(this.platter, change);
    this.unsynced = [];
  }

  /** The kernel tells of a write error once and forgets what it could not write: the next sync succeeds. */
  failSync(random: Random): void {
    for (const change of this.unsynced) if (random.chance(0.5)) apply(this.platter, change);
    this.unsynced = [];
  }

  /** Each change that was not synced has reached the platter, or has not, or did in part. */
  cutPower(random: Random): void {
    for (const change of this.unsynced) {
      const fate = random.below(3);
      if (fate === 0) apply(this.platter, change);
      if (fate === 1) apply(this.platter, torn(change, random));
    }
    this.unsynced = [];
    this.cache = this.platter.copy();
  }

  private change(change: ContentChange): void {
    apply(this.cache, change);
    this.unsynced.push(change);
  }
}

function apply(bytes: SimBytes, change: ContentChange): void {
  if (change.type === 'write') bytes.write(change.at, change.bytes);
  else bytes.truncate(change.length);
}

function torn(change: ContentChange, random: Random): ContentChange {
  if (change.type === 'truncate') return change;
  return { ...change, bytes: change.bytes.subarray(0, random.below(change.bytes.length + 1)) };
}

export type SimInode = SimFile | SimFolder;

/** One operation on names; a rename is one, so that it survives as a whole or not at all. */
interface NameChange {
  readonly set?: { readonly name: string; readonly inode: SimInode };
  readonly remove?: string;
}

/** A folder: names survive a power cut for certain only when the folder was synced behind them. */
export class SimFolder {
  readonly kind = 'folder';
  readonly size = 0;
  readonly mode = 0o755;
  readonly nlink = 1;
  private names = new Map<string, SimInode>();
  private platter = new Map<string, SimInode>();
  private unsynced: NameChange[] = [];

  constructor(
    readonly ino: number,
    readonly birthtimeMs: number,
  ) {}

  get mtimeMs(): number {
    return this.birthtimeMs;
  }

  find(name: string): SimInode | undefined {
    return this.names.get(name);
  }

  list(): string[] {
    return [...this.names.keys()];
  }

  inodes(): Iterable<SimInode> {
    return this.names.values();
  }

  change(change: NameChange): void {
    applyName(this.names, change);
    this.unsynced.push(change);
  }

  sync(): void {
    for (const change of this.unsynced) applyName(this.platter, change);
    this.unsynced = [];
  }

  cutPower(random: Random): void {
    for (const change of this.unsynced) {
      if (random.chance(0.5)) applyName(this.platter, change);
    }
    this.unsynced = [];
    this.names = new Map(this.platter);
  }
}

function applyName(names: Map<string, SimInode>, { set, remove }: NameChange): void {
  if (remove !== undefined) names.delete(remove);
  if (set !== undefined) names.set(set.name, set.inode);
}
