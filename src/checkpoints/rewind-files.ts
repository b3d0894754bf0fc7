import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { disk } from '../disk/disk';
import { makeFolder, syncFolder } from '../disk/folder';
import { writeSynced } from '../disk/write-synced';
import { failpoint } from '../failpoint/failpoint';
import { errorCode } from '../tools/error-code';
import { takeSnapshot } from '../tools/file-snapshot';
import type { SessionStore } from '../transcript/store';
import type { FileThen } from './files-at';
import { planFile, type BlockedFile, type FilesPlan, type PlannedFile } from './plan-rewind';

/** Carries a plan out, file by file, each of them whole or not at all. What is replaced is kept in the session's store
 *  first. Safe to repeat: after a crash the same rewind does the rest. Returns what was done, and what could not be. */
export async function rewindFiles(session: SessionStore, plan: FilesPlan): Promise<FilesPlan> {
  const files: PlannedFile[] = [];
  const blocked: BlockedFile[] = [...plan.blocked];
  for (const { then } of plan.files) {
    // Links and contents may have changed since the plan was made.
    const planned = await planFile(session, then);
    if (planned === null) continue;
    if ('reason' in planned) {
      blocked.push(planned);
      continue;
    }
    try {
      await apply(session, planned);
      files.push(planned);
    } catch (error) {
      const reason = `it cannot be written (${errorCode(error)})`;
      blocked.push({ path: then.path, reason, isLink: false });
    }
    failpoint('rewind.file');
  }
  return { files, blocked };
}

async function apply(session: SessionStore, { then }: PlannedFile): Promise<void> {
  const now = await takeSnapshot(then.path);
  if (now !== undefined) await session.kept.put(now.bytes);
  if (then.state === null) {
    await remove(then);
    return;
  }
  const { digest, mode } = then.state;
  const bytes = await session.kept.get(digest);
  if (bytes === undefined) throw new Error(`Content ${digest} is not kept any more.`);
  await replace(then.path, bytes, mode ?? now?.mode ?? null);
}

async function remove({ path: file, madeFolder }: FileThen): Promise<void> {
  await disk.unlink(file);
  await syncFolder(path.dirname(file));
  if (madeFolder === null) return;
  // From the inside out, as long as nothing else lies in them.
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if ((await disk.readdir(folder)).length > 0) return;
    await disk.rmdir(folder);
    if (folder === madeFolder) return;
  }
}

/** `mode`: null: as the system gives it to a new file. */
async function replace(file: string, bytes: Buffer, mode: number | null): Promise<void> {
  const folder = path.dirname(file);
  await makeFolder(folder);
  const temporary = path.join(folder, `.everloop-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeSynced(temporary, bytes, mode);
    await disk.rename(temporary, file);
    await syncFolder(folder);
  } catch (error) {
    await disk.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
