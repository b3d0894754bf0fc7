import { basename, dirname, join } from 'node:path';
import { disk } from '../../disk/disk';
import { syncFolder } from '../../disk/folder';
import { toStoreError, unlessMissing } from './disk-error';
import { lookAt } from './file-identity';
import type { Fence } from './lease-folder';

const CHUNK_BYTES = 1 << 20;

/** Gives the file a new inode with the same bytes, so that a zombie writes into the old one (lease-folder.ts).
 *  Two processes may do this at once, one of them a zombie itself. Copies of earlier epochs are removed once our
 *  lease exists, which makes the zombie's rename fail; and one that makes its copy after that is stopped by the
 *  fence, which it asks when the copy's file exists. */
export async function replaceInode(path: string, epoch: number, fence: Fence): Promise<void> {
  // A zombie that creates the file after this look has yet to ask the fence.
  if (lookAt(path).identity === '') return;
  const copyPath = copyName(path, epoch);
  let from: number | undefined;
  let to: number | undefined;
  try {
    await removeCopies(path, epoch);
    to = disk.openSync(copyPath, 'wx', 0o600);
    fence();
    from = disk.openSync(path, 'r');
    await copyNew(from, to);
    await disk.datasync(to);
    await disk.rename(copyPath, path);
    // What the zombie wrote meanwhile comes along at its old offset: followers of the log may have read it.
    if (await copyNew(from, to)) await disk.datasync(to);
    await syncFolder(dirname(path));
  } catch (error) {
    await disk.unlink(copyPath).catch(() => undefined);
    throw toStoreError(error, 'take over', path);
  } finally {
    for (const fd of [from, to]) if (fd !== undefined) disk.closeSync(fd);
  }
}

/** Gives the file other bytes, and a new inode with them. A zombie's attempt fails, or lands nowhere, as above. */
export async function replaceContent(
  path: string,
  bytes: Buffer,
  { epoch, fence }: { readonly epoch: number; readonly fence: Fence },
): Promise<void> {
  const copyPath = copyName(path, epoch);
  let to: number | undefined;
  try {
    await removeCopies(path, epoch + 1);
    to = disk.openSync(copyPath, 'wx', 0o600);
    fence();
    for (let end = 0; end < bytes.length;) end += await disk.write(to, bytes.subarray(end), end);
    await disk.datasync(to);
    fence();
    await disk.rename(copyPath, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await disk.unlink(copyPath).catch(() => undefined);
    throw toStoreError(error, 'rewrite', path);
  } finally {
    if (to !== undefined) disk.closeSync(to);
  }
}

function copyName(path: string, epoch: number): string {
  return join(dirname(path), `.${basename(path)}.${epoch}.takeover`);
}

/** Removes copies that take-overs of earlier epochs left. */
export async function removeCopies(path: string, before: number): Promise<void> {
  const prefix = `.${basename(path)}.`;
  for (const name of await disk.readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith('.takeover')) continue;
    if (Number(name.slice(prefix.length, -'.takeover'.length)) >= before) continue;
    await unlessMissing(disk.unlink(join(dirname(path), name)));
  }
}

/** Copies what `to` does not have yet. */
async function copyNew(from: number, to: number): Promise<boolean> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const start = disk.fstatSync(to).size;
  let end = start;
  for (;;) {
    const length = disk.readSync(from, chunk, 0, chunk.length, end);
    if (length === 0) return end > start;
    end += await disk.write(to, chunk.subarray(0, length), end);
  }
}
