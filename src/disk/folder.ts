import { dirname, join } from 'node:path';
import { disk } from './disk';

/** Kernels write names back within half a minute without being asked. */
const WRITTEN_BACK_MS = 60_000;

/** Makes the folder and what is missing above it; all of it survives a power cut.
 *  Fails: errors of `node:fs`. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const options = { recursive: true, ...(mode !== undefined && { mode }) } as const;
  const first = await makeAll(folder, options);
  const longAgo = Date.now() - WRITTEN_BACK_MS;
  // Also of a folder that was there: whoever made it may have been killed before it was synced.
  for (let path = folder; dirname(path) !== path; path = dirname(path)) {
    const isOurs = first !== undefined && path.length >= first.length;
    if (!isOurs && (disk.statSync(path)?.birthtimeMs ?? 0) < longAgo) return;
    try {
      await syncFolder(dirname(path));
    } catch (error) {
      // A parent that may not be read is no folder that we made.
      if (isOurs || !hasCode(error, 'EACCES')) throw error;
    }
  }
}

/** Returns the topmost folder that was missing. */
async function makeAll(
  folder: string,
  options: { readonly recursive: true; readonly mode?: number },
): Promise<string | undefined> {
  try {
    return await disk.mkdir(folder, options);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    // Node says so of a disk that may not be written to as well; the topmost one alone tells the truth.
    let top = folder;
    while (disk.statSync(dirname(top)) === undefined) top = dirname(top);
    await disk.mkdir(top, { ...options, recursive: false });
    await disk.mkdir(folder, options);
    return top;
  }
}

/** Makes names in the folder survive a power cut; file contents need their own fdatasync. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a file, or a folder with all that is in it, takes. Links are not followed. 0: it is not there. */
export async function bytesOf(path: string): Promise<number> {
  try {
    const facts = await disk.lstat(path);
    if (!facts.isDirectory()) return facts.size;
    const inside = (await disk.readdir(path)).map((name) => bytesOf(join(path, name)));
    return (await Promise.all(inside)).reduce((sum, bytes) => sum + bytes, 0);
  } catch (error) {
    // Others may remove what is looked at.
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;
