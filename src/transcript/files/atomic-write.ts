import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { disk } from '../../disk/disk';
import { makeFolder as makeLastingFolder, syncFolder } from '../../disk/folder';
import { errnoOf, toStoreError } from './disk-error';

/** Replaces a small file as a whole: readers see the old text or the new one, and after a power cut, too. */
export async function replaceFile(path: string, text: string | Buffer): Promise<void> {
  await viaTemporary(path, text, (temporary) => disk.rename(temporary, path));
}

/** Creates a small file with its whole text. false: it is there already and stays as it is. */
export async function createFile(path: string, text: string | Buffer): Promise<boolean> {
  return viaTemporary(path, text, async (temporary) => {
    // A hard link instead of O_EXCL: nobody can see the name without the text.
    const isNew = await disk.link(temporary, path).then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      },
    );
    await disk.unlink(temporary);
    return isNew;
  });
}

/** A block of a file system: less may fit where nothing else does. */
const PROBE_BYTES = 4_096;

/** Finds out whether files can grow in the folder, by trying. Leaves nothing behind.
 *  Fails: StoreError `no_space` or `io`, naming the folder and the cure. */
export async function requireRoom(folder: string): Promise<void> {
  await makeFolder(folder);
  const probe = join(folder, `.room.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await disk.open(probe, 'wx', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(PROBE_BYTES));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toStoreError(error, 'write in', folder);
  } finally {
    await disk.unlink(probe).catch(() => undefined);
  }
}

/** Fails: StoreError `no_space` or `io`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeLastingFolder(folder, 0o700);
  } catch (error) {
    throw toStoreError(error, 'create the folder', folder);
  }
}

async function viaTemporary<T>(
  path: string,
  text: string | Buffer,
  place: (temporary: string) => Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await disk.open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    const placed = await place(temporary);
    await syncFolder(folder);
    return placed;
  } catch (error) {
    await disk.unlink(temporary).catch(() => undefined);
    throw toStoreError(error, 'write', path);
  }
}
