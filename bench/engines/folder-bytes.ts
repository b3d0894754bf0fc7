import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/** What the files below a folder take on disk, those whose path has the part only. */
export function folderBytes(folder: string, part = ''): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.includes(part))
    .reduce((sum, path) => sum + bytesOf(path), 0);
}

function bytesOf(path: string): number {
  // A file may go while it is looked at.
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.blocks * BLOCK_BYTES : 0;
}
