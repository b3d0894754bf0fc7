import { disk, type FileFacts } from '../disk/disk';
import { takeSnapshot } from '../tools/file-snapshot';
import type { FileState } from '../transcript/file-history';
import type { SessionStore } from '../transcript/store';
import type { KeptSession } from './keep-change';

/** Notes what became of the files that calls have changed: commands and people change them, too. `always`: also when
 *  nothing did, so that the moment has its place among the changes. Safe to repeat: the first look counts.
 *  Never fails: a look that is missed is no reason to stop. */
export async function lookAtFiles(
  { store, lease }: KeptSession,
  at: string,
  { always = false }: { readonly always?: boolean } = {},
): Promise<void> {
  try {
    const tracked = await store.ledger.trackedFiles();
    if (tracked.size === 0) return;
    const files: { path: string; state: FileState }[] = [];
    for (const [path, { state: known }] of tracked) {
      const state = await stateNow(store, path, known);
      if (state !== undefined && !isSame(state, known)) files.push({ path, state });
    }
    if (always || files.length > 0) await store.ledger.recordFound(lease, { at, files });
  } catch {
    // What cannot be kept now could not be given back either; the disk complains elsewhere.
  }
}

/** A file whose stamp is as it was is not read again. */
interface Stamp {
  readonly facts: FileFacts;
  readonly state: FileState;
}

const stamps = new WeakMap<SessionStore, Map<string, Stamp>>();

/** The file's content is kept. undefined: it is no plain file any more, or cannot be read. */
async function stateNow(
  store: SessionStore,
  path: string,
  known: FileState,
): Promise<FileState | undefined> {
  const facts = disk.statSync(path);
  if (facts === undefined) return null;
  const ofStore = stamps.get(store) ?? new Map<string, Stamp>();
  stamps.set(store, ofStore);
  const stamp = ofStore.get(path);
  if (stamp !== undefined && hasSameStamp(stamp.facts, facts)) return stamp.state;
  const snapshot = await takeSnapshot(path).catch(() => undefined);
  if (snapshot === undefined) return undefined;
  const state = { digest: snapshot.digest, mode: snapshot.mode };
  if (known?.digest !== state.digest) await store.kept.put(snapshot.bytes);
  ofStore.set(path, { facts, state });
  return state;
}

const hasSameStamp = (a: FileFacts, b: FileFacts): boolean =>
  a.dev === b.dev &&
  a.ino === b.ino &&
  a.size === b.size &&
  a.mode === b.mode &&
  a.mtimeMs === b.mtimeMs;

/** A mode that is not known yet is news. */
const isSame = (a: FileState, b: FileState): boolean =>
  a?.digest === b?.digest && a?.mode === b?.mode;
