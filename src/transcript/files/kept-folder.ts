import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { disk } from '../../disk/disk';
import { syncFolder } from '../../disk/folder';
import { addCollected, NOTHING_COLLECTED, type Collected } from '../collection';
import type { KeptFiles } from '../store';
import { createFile, makeFolder } from './atomic-write';
import { errnoOf, toStoreError, unlessMissing } from './disk-error';
import { requireFileName } from './file-name';

/** Contents that calls have replaced or written, one file each, named by their digest. */
export class KeptFolder implements KeptFiles {
  /** Digests of what lasts for sure. */
  private readonly lasting = new Set<string>();

  constructor(
    readonly path: string,
    private readonly ensureParent: () => Promise<void>,
  ) {}

  async put(bytes: Buffer): Promise<string> {
    const digest = digestOf(bytes);
    const file = join(this.path, digest);
    if (this.lasting.has(digest)) return digest;
    await this.ensureParent();
    await makeFolder(this.path);
    if (!disk.existsSync(file)) await createFile(file, bytes);
    // Whoever put it there may have been killed before its name was on disk.
    else await this.sync();
    this.lasting.add(digest);
    return digest;
  }

  /** Removes all contents but those that are needed, or looks what would go. */
  async collect(needed: ReadonlySet<string>, isLook: boolean): Promise<Collected> {
    const names = (await unlessMissing(disk.readdir(this.path))) ?? [];
    let collected = NOTHING_COLLECTED;
    for (const name of names.filter((digest) => !needed.has(digest))) {
      const file = join(this.path, name);
      collected = addCollected(collected, { items: 1, bytes: disk.statSync(file)?.size ?? 0 });
      if (isLook) continue;
      this.lasting.delete(name);
      await disk.rm(file, { force: true }).catch((error: unknown) => {
        throw toStoreError(error, 'delete', file);
      });
    }
    return collected;
  }

  /** Another process may have collected what was there. */
  forget(): void {
    this.lasting.clear();
  }

  async get(digest: string): Promise<Buffer | undefined> {
    const file = join(this.path, requireFileName(digest));
    try {
      const handle = await disk.open(file, 'r');
      try {
        const bytes = await handle.readFile();
        return digestOf(bytes) === digest ? bytes : undefined;
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw toStoreError(error, 'read', file);
    }
  }

  private async sync(): Promise<void> {
    try {
      await syncFolder(this.path);
    } catch (error) {
      throw toStoreError(error, 'sync the folder', this.path);
    }
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
