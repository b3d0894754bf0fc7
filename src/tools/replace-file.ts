import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { disk } from '../disk/disk';
import { makeFolder, syncFolder } from '../disk/folder';
import { writeSynced } from '../disk/write-synced';
import type { FileSeen } from '../transcript/record';
import { errorCode } from './error-code';
import { digestOf } from './file-snapshot';
import { TakenOver } from './taken-over';
import { ToolError } from './tool';

interface FileReplacement {
  /** Resolved by `confinement`. */
  readonly path: string;
  readonly bytes: Buffer;
  /** Mode of the file that is replaced; null: there is none. */
  readonly mode: number | null;
  /** Part of the temporary file's name, so that a second attempt clears what the first one left. */
  readonly callFolder: string;
}

/** Puts whole new content in place, or none of it: a temporary file beside the target, then a rename,
 *  which replaces a link that was put there meanwhile instead of following it.
 *  Fails: ToolError; TakenOver when a later attempt of the same call has cleared the temporary file. */
export async function replaceFile(replacement: FileReplacement): Promise<FileSeen> {
  const { path: target, bytes, mode } = replacement;
  const folder = path.dirname(target);
  // Of this attempt alone: an earlier one may wake up, and would move a file that is half written.
  const temporary = `${temporaryFiles(replacement)}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    await makeFolder(folder);
    // A rename asks for no permission on the file itself; whoever protected it meant it.
    if (mode !== null) await disk.access(target, constants.W_OK);
    await writeSynced(temporary, bytes, mode);
    if ((await disk.realpath(folder)) !== folder) {
      throw new ToolError(`${folder} was replaced while ${target} was being written. Try again.`);
    }
    await moveInto(target, temporary);
    await syncFolder(folder);
  } catch (error) {
    await disk.rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof ToolError || error instanceof TakenOver) throw error;
    throw new ToolError(`${target} cannot be written (${errorCode(error)}).`);
  }
  const { mtimeMs } = await disk.stat(target);
  return { path: target, mtimeMs, digest: digestOf(bytes) };
}

async function moveInto(target: string, temporary: string): Promise<void> {
  try {
    await disk.rename(temporary, target);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new TakenOver(`A later attempt of the same call writes ${target}.`, { cause: error });
  }
}

/** What earlier attempts left between write and rename. */
export async function clearTemporaryFiles(
  place: Pick<FileReplacement, 'path' | 'callFolder'>,
): Promise<void> {
  const beginning = temporaryFiles(place);
  const folder = path.dirname(beginning);
  const names = await disk.readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(path.basename(beginning)))) {
    await disk.rm(path.join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** How the paths of a call's temporary files begin. */
function temporaryFiles(place: Pick<FileReplacement, 'path' | 'callFolder'>): string {
  const id = createHash('sha256').update(place.callFolder).digest('hex').slice(0, 16);
  return path.join(path.dirname(place.path), `.everloop-${id}`);
}
