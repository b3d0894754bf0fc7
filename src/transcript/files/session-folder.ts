import { basename, join } from 'node:path';
import { disk } from '../../disk/disk';
import { syncFolder } from '../../disk/folder';
import type { SessionMeta } from '../store';
import { createFile, makeFolder } from './atomic-write';
import { toStoreError, unlessMissing } from './disk-error';

/** Where the pieces of one session lie. */
export class SessionFolder {
  readonly meta: string;
  readonly leases: string;
  readonly inbox: string;
  readonly documents: string;
  readonly answers: string;
  readonly ledger: string;
  readonly log: string;
  readonly live: string;
  readonly torn: string;
  readonly kept: string;
  readonly rewind: string;
  /** Of a session that does not persist; the others keep theirs where Claude Code does. */
  readonly transcript: string;

  constructor(readonly path: string) {
    this.meta = join(path, 'meta.json');
    this.leases = join(path, 'leases');
    this.inbox = join(path, 'inbox');
    this.documents = join(path, 'documents');
    this.answers = join(path, 'answers');
    this.ledger = join(path, 'ledger.jsonl');
    this.log = join(path, 'log.jsonl');
    this.live = join(path, 'live');
    this.torn = join(path, 'torn');
    this.kept = join(path, 'kept');
    this.rewind = join(path, 'rewind.json');
    this.transcript = join(path, 'transcript.jsonl');
  }

  /** Makes the folder with its `meta.json`. false: another was there first. */
  async create(meta: SessionMeta): Promise<boolean> {
    await makeFolder(this.path);
    return createFile(this.meta, JSON.stringify(meta));
  }

  /** `meta.json` goes last: until then the session is found. Fails: StoreError. */
  async remove(): Promise<void> {
    const metaName = basename(this.meta);
    try {
      const names = (await unlessMissing(disk.readdir(this.path))) ?? [];
      for (const name of names.filter((one) => one !== metaName)) {
        await disk.rm(join(this.path, name), { recursive: true, force: true });
      }
      if (names.length > 0) await syncFolder(this.path);
      await disk.rm(this.path, { recursive: true, force: true });
    } catch (error) {
      throw toStoreError(error, 'delete', this.path);
    }
  }
}
