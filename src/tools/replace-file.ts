import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { disk } from '../disk/disk';
import { makeFolder, syncFolder } from '../disk/folder';
import type { FileSeen } from '../transcript/record';
import { errorCode } from './error-code';
import { digestOf } from './file-snapshot';
import { ToolError } from './tool';

interface FileReplacement {
  /** Resolved by `confinement`. */
  readonly path: string;
  readonly bytes: Buffer;
  /** Mode of the file that is replaced; null: there is none. */
  readonly mode: number | null;
  /** Names the temporary file, so that a second attempt clears what the first one left. */
  readonly callFolder: string;
}

/** Puts whole new content in place, or none of it: a temporary file beside the target, then a rename,
 *  which replaces a link that was put there meanwhile instead of following it. */
export async function replaceFile(replacement: FileReplacement): Promise<FileSeen> {
  const { path: target, bytes, mode } = replacement;
  const folder = path.dirname(target);
  const temporary = temporaryFile(replacement);
  try {
    await makeFolder(folder);
    // A rename asks for no permission on the file itself; whoever protected it meant it.
    if (mode !== null) await disk.access(target, constants.W_OK);
    await disk.rm(temporary, { force: true });
    await writeSynced(temporary, bytes, mode);
    if ((await disk.realpath(folder)) !== folder) {
      throw new ToolError(`${folder} was replaced while ${target} was being written. Try again.`);
    }
    await disk.rename(temporary, target);
    await syncFolder(folder);
  } catch (error) {
    await disk.rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof ToolError) throw error;
    throw new ToolError(`${target} cannot be written (${errorCode(error)}).`);
  }
  const { mtimeMs } = await disk.stat(target);
  return { path: target, mtimeMs, digest: digestOf(bytes) };
}

/** After a crash between write and rename. */
export async function clearTemporaryFile(
  place: Pick<FileReplacement, 'path' | 'callFolder'>,
): Promise<void> {
  await disk.rm(temporaryFile(place), { force: true }).catch(() => undefined);
}

function temporaryFile(place: Pick<FileReplacement, 'path' | 'callFolder'>): string {
  const id = createHash('sha256').update(place.callFolder).digest('hex').slice(0, 16);
  return path.join(path.dirname(place.path), `.everloop-${id}.tmp`);
}

async function writeSynced(file: string, bytes: Buffer, mode: number | null): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await disk.open(file, flags, mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    if (mode !== null) await handle.chmod(mode);
    // Without it a power cut can leave an empty file under the new name.
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
