import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { disk } from '../disk/disk';
import { bytesOf } from '../disk/folder';
import { sessionIdOf } from '../loop/workflow-id';
import { rescueOrphans } from '../recovery/rescue';
import { readRunNotes } from '../recovery/run-notes';
import { NOTHING_COLLECTED, type Collected } from '../transcript/collection';
import { storeHash } from '../transcript/place';
import type { LeaseOwner, TranscriptStore } from '../transcript/store';

/** What lies in a home folder beside its sessions. `notes`: what dead Workers were doing. `worker_logs`: of Workers
 *  that write no more. `folders`: of sessions that the store does not have any more. */
export type HomeKind = (typeof HOME_KINDS)[number];

export const HOME_KINDS = ['notes', 'worker_logs', 'folders'] as const;

export interface HomeCollectionOptions {
  readonly client: Client;
  readonly store: TranscriptStore;
  readonly home: string;
  readonly kinds: readonly HomeKind[];
  /** ISO instant: what was not written to since goes. */
  readonly before: string;
  /** true: nothing is removed. */
  readonly isLook: boolean;
  isAlive(owner: LeaseOwner): Promise<boolean>;
}

export async function collectHome(
  options: HomeCollectionOptions,
): Promise<Readonly<Record<HomeKind, Collected>>> {
  const { kinds } = options;
  const collect = (kind: HomeKind, find: () => Promise<readonly string[]>) =>
    kinds.includes(kind) ? removeOld(find, options) : NOTHING_COLLECTED;
  return {
    notes: await collect('notes', () => deadNotes(options)),
    worker_logs: await collect('worker_logs', async () => [
      join(options.home, 'background', 'worker.log'),
    ]),
    folders: await collect('folders', () => lostFolders(options)),
  };
}

async function removeOld(
  find: () => Promise<readonly string[]>,
  { before, isLook }: HomeCollectionOptions,
): Promise<Collected> {
  let [items, bytes] = [0, 0];
  for (const path of await find()) {
    const writtenMs = disk.statSync(path)?.mtimeMs;
    if (writtenMs === undefined || writtenMs >= Date.parse(before)) continue;
    [items, bytes] = [items + 1, bytes + (await bytesOf(path))];
    if (!isLook) await disk.rm(path, { recursive: true, force: true });
  }
  return { items, bytes };
}

/** What they were doing is given up first: their notes alone say that it was begun. */
async function deadNotes(options: HomeCollectionOptions): Promise<readonly string[]> {
  const notes = readRunNotes(options.home);
  const living = await Promise.all(notes.map(({ owner }) => options.isAlive(owner)));
  const dead = notes.flatMap(({ file }, index) => (living[index] === true ? [] : file));
  if (dead.length > 0 && !options.isLook) await rescueOrphans(options);
  return dead;
}

async function lostFolders({ home, store }: HomeCollectionOptions): Promise<readonly string[]> {
  const prefix = `${storeHash(store.place)}-`;
  const folder = join(home, 'sessions');
  if (!disk.existsSync(folder)) return [];
  const lost: string[] = [];
  for (const name of disk.readdirSync(folder).filter((one) => one.startsWith(prefix))) {
    const session = await store.openSession(sessionIdOf(name));
    if (session === undefined) lost.push(join(folder, name));
  }
  return lost;
}
