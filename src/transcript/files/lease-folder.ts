import { join } from 'node:path';
import { z } from 'zod';
import { disk } from '../../disk/disk';
import type { Lease, LeaseOwner } from '../store';
import { StoreError } from '../store-error';
import { createFile, makeFolder } from './atomic-write';
import { errnoOf, unlessMissing } from './disk-error';
import { lookAt } from './file-identity';

/** Throws StoreError `lease_stale` when the lease is no longer the current one. Costs a few microseconds. */
export type Fence = () => void;

/** How the lease before ended. `fenced`: its holder may still be alive and writing. */
export type Predecessor = 'none' | 'released' | 'fenced';

/** Leases with fencing, on a file system without locks.
 *
 *  A lease is a file `<epoch>.json`. It is made by a hard link, which succeeds for exactly one process, so epoch
 *  N+1 has one holder, and that epoch N is over is a fact that everybody can see. Liveness of a holder is only
 *  ever a guess: a stopped process looks dead and comes back. Hence a writer that has lost its lease must be
 *  unable to do harm at whatever instruction it wakes up. Two rules see to it:
 *
 *  1. A writer opens its file first, then asks the fence, then writes to what it opened; and asks again before it
 *     reports success.
 *  2. A holder that takes over from one who did not release replaces the inodes of all files that are appended
 *     to (take-over.ts), after its lease exists and before it writes.
 *
 *  So a zombie that passed the fence in rule 1 has opened an inode from before the take-over: its write lands in
 *  an unlinked file, or it landed before the copy was made and is part of it. And if it reported success, its
 *  second look found no new lease: the write came before the copy. Whatever it opens later, the fence refuses.
 *
 *  Files that are replaced as a whole carry the epoch in their name (documents, copies of a take-over), so that a
 *  zombie can only replace its own.
 *
 *  The fence asks in this order: `<epoch+1>.json` is absent, `<epoch>.json` is present. Old leases are pruned
 *  from the oldest on, so the successor's file cannot have gone while our own is still there. */
export class LeaseFolder {
  /** Epochs that this process has found to be held by the owner it was given. */
  private readonly verified = new Map<number, string>();
  private readonly closed = new Set<number>();
  /** Epochs that somebody in this process was told they hold. */
  private readonly granted = new Set<number>();
  /** The newest lease that was seen, and its file, which never changes. */
  private seen: { readonly lease: Lease; readonly identity: string } | undefined;

  constructor(private readonly folder: string) {}

  async acquire(
    owner: LeaseOwner,
    isAlive: (owner: LeaseOwner) => Promise<boolean>,
  ): Promise<{ lease: Lease; predecessor: Predecessor }> {
    await makeFolder(this.folder);
    for (;;) {
      const newest = await this.newest();
      const predecessor = newest === undefined ? 'none' : this.endOf(newest.epoch);
      if (newest !== undefined && predecessor === 'held') {
        // Made by us when the disk failed, so that nobody was told: it would keep us out as long as we live.
        const isLeftover =
          newest.owner.workerId === owner.workerId &&
          (this.closed.has(newest.epoch) || !this.granted.has(newest.epoch));
        if (!isLeftover && (await isAlive(newest.owner))) throw this.held(newest);
      }
      const lease = { epoch: (newest?.epoch ?? 0) + 1, owner };
      if (!(await createFile(this.leaseFile(lease.epoch), JSON.stringify(lease)))) continue;
      await this.prune(lease.epoch - 1);
      this.granted.add(lease.epoch);
      return { lease, predecessor: predecessor === 'held' ? 'fenced' : predecessor };
    }
  }

  /** Costs some microseconds when nothing has changed: every Activity asks. */
  async current(): Promise<Lease | undefined> {
    const newest = this.newestSeen() ?? (await this.newest());
    return newest !== undefined && this.endOf(newest.epoch) === 'held' ? newest : undefined;
  }

  /** From here on the fence refuses; what has passed it goes on. */
  close(lease: Lease): void {
    this.closed.add(lease.epoch);
  }

  /** Call when nothing of this lease is being written any more: the next holder will trust that. */
  async release(lease: Lease): Promise<void> {
    this.closed.add(lease.epoch);
    if (disk.existsSync(this.leaseFile(lease.epoch)))
      await createFile(this.endFile(lease, 'released'), '');
  }

  /** Gives up a lease whose take-over failed; the next holder must do that of the one before as well. */
  async abandon(lease: Lease): Promise<void> {
    this.closed.add(lease.epoch);
    await createFile(this.endFile(lease, 'abandoned'), '');
  }

  fence(lease: Lease): Fence {
    const successor = this.leaseFile(lease.epoch + 1);
    return () => {
      if (disk.existsSync(successor) || !this.isOurs(lease)) {
        throw this.stale(lease);
      }
    };
  }

  /** undefined: there is a newer one, or none. */
  private newestSeen(): Lease | undefined {
    if (this.seen === undefined) return undefined;
    const { lease, identity } = this.seen;
    if (disk.existsSync(this.leaseFile(lease.epoch + 1))) return undefined;
    return lookAt(this.leaseFile(lease.epoch)).identity === identity ? lease : undefined;
  }

  private isOurs(lease: Lease): boolean {
    if (this.closed.has(lease.epoch)) return false;
    const file = this.leaseFile(lease.epoch);
    if (this.verified.get(lease.epoch) === lease.owner.workerId) return disk.existsSync(file);
    if (this.endOf(lease.epoch) !== 'held') return false;
    if (this.read(lease.epoch)?.owner.workerId !== lease.owner.workerId) return false;
    this.verified.set(lease.epoch, lease.owner.workerId);
    return true;
  }

  private async newest(): Promise<Lease | undefined> {
    for (;;) {
      const epoch = (await this.epochs()).at(-1);
      if (epoch === undefined) return undefined;
      const { identity } = lookAt(this.leaseFile(epoch));
      const lease = this.read(epoch);
      // Else it was pruned after the look into the folder, so there are newer ones.
      if (lease === undefined) continue;
      this.seen = { lease, identity };
      return lease;
    }
  }

  private read(epoch: number): Lease | undefined {
    try {
      return fromLeaseText(disk.readFileSync(this.leaseFile(epoch), 'utf8'));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  private async epochs(): Promise<number[]> {
    const names = (await unlessMissing(disk.readdir(this.folder))) ?? [];
    return names
      .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  private endOf(epoch: number): 'held' | 'released' | 'fenced' {
    if (disk.existsSync(join(this.folder, `${epoch}.released`))) return 'released';
    return disk.existsSync(join(this.folder, `${epoch}.abandoned`)) ? 'fenced' : 'held';
  }

  /** Keeps the newest two: the current one, and one for people who ask who was before. */
  private async prune(keepFrom: number): Promise<void> {
    for (const epoch of (await this.epochs()).filter((one) => one < keepFrom)) {
      for (const suffix of ['json', 'released', 'abandoned']) {
        await unlessMissing(disk.unlink(join(this.folder, `${epoch}.${suffix}`)));
      }
    }
  }

  private leaseFile(epoch: number): string {
    return join(this.folder, `${epoch}.json`);
  }

  private endFile(lease: Lease, end: 'released' | 'abandoned'): string {
    return join(this.folder, `${lease.epoch}.${end}`);
  }

  private held({ epoch, owner }: Lease): StoreError {
    return new StoreError(
      'lease_held',
      `The session is served by Worker ${owner.workerId} on ${owner.host} (lease ${epoch}, ${this.folder}). Stop that process, or work through it.`,
    );
  }

  private stale({ epoch, owner }: Lease): StoreError {
    return new StoreError(
      'lease_stale',
      `Lease ${epoch} of Worker ${owner.workerId} is over (${this.folder}): another process serves the session, or it was released. Nothing was committed; acquire a new lease.`,
    );
  }
}

const leaseSchema = z.object({
  epoch: z.number(),
  owner: z.object({
    workerId: z.string(),
    host: z.string(),
    socket: z.string(),
    pid: z.number().exactOptional(),
  }),
});

function fromLeaseText(text: string): Lease {
  return leaseSchema.parse(JSON.parse(text));
}
