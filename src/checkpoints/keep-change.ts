import path from 'node:path';
import { disk } from '../disk/disk';
import { failpoint } from '../failpoint/failpoint';
import type { ToolUseRef } from '../loop/context';
import type { ComingChange } from '../tools/tool';
import type { Lease, SessionStore } from '../transcript/store';

/** The session whose files are kept, and the right to write it. */
export interface KeptSession {
  readonly store: SessionStore;
  readonly lease: Lease;
}

/** Keeps what a file was and what a call makes of it, before the call does. On disk when it resolves. Safe to repeat:
 *  the first attempt of the call counts.
 *  Fails: StoreError; the file must then not be changed. */
export async function keepChange(
  { store, lease }: KeptSession,
  call: ToolUseRef,
  { path: file, root, existing, bytes }: ComingChange,
): Promise<void> {
  if (existing !== undefined) await store.kept.put(existing.bytes);
  const digest = await store.kept.put(bytes);
  failpoint('checkpoint.kept');
  const mode = existing?.mode ?? null;
  await store.ledger.recordChange(lease, call, {
    path: file,
    root,
    before: existing === undefined ? null : { digest: existing.digest, mode: existing.mode },
    after: { digest, mode },
    madeFolder: topmostMissing(path.dirname(file)),
  });
  failpoint('checkpoint.recorded');
}

function topmostMissing(folder: string): string | null {
  let missing: string | null = null;
  for (let at = folder; disk.statSync(at) === undefined; at = path.dirname(at)) missing = at;
  return missing;
}
