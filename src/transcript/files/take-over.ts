import {
  closeSync,
  fdatasync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from './atomic-write';
import { toStoreError, unlessMissing } from './disk-error';
import { lookAt } from './file-identity';
import type { Fence } from './lease-folder';

const CHUNK_BYTES = 1 << 20;
const toDisk = promisify(fdatasync);

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
    to = openSync(copyPath, 'wx', 0o600);
    fence();
    from = openSync(path, 'r');
    copyNew(from, to);
    await toDisk(to);
    renameSync(copyPath, path);
    // What the zombie wrote meanwhile comes along at its old offset: followers of the log may have read it.
    if (copyNew(from, to)) await toDisk(to);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(copyPath).catch(() => undefined);
    throw toStoreError(error, 'take over', path);
  } finally {
    for (const fd of [from, to]) if (fd !== undefined) closeSync(fd);
  }
}

function copyName(path: string, epoch: number): string {
  return join(dirname(path), `.${basename(path)}.${epoch}.takeover`);
}

async function removeCopies(path: string, before: number): Promise<void> {
  const prefix = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith('.takeover')) continue;
    if (Number(name.slice(prefix.length, -'.takeover'.length)) >= before) continue;
    await unlessMissing(unlink(join(dirname(path), name)));
  }
}

/** Copies what `to` does not have yet. */
function copyNew(from: number, to: number): boolean {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const start = fstatSync(to).size;
  let end = start;
  for (;;) {
    const length = readSync(from, chunk, 0, chunk.length, end);
    if (length === 0) return end > start;
    end += writeSync(to, chunk.subarray(0, length), 0, length, end);
  }
}
