import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { disk, type DiskFile } from '../disk/disk';
import type { FileSeen } from '../transcript/record';
import { errorCode } from './error-code';
import { ToolError } from './tool';

/** Whole files are held in memory; beyond this the shell is the better tool. */
const SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** A file's bytes together with what identifies this version of it. */
export interface FileSnapshot extends FileSeen {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Reads a regular file whose path `confinement` has resolved; undefined if there is none.
 *  Fails: ToolError for folders, devices, unreadable and huge files, and when the path changes under us. */
export async function takeSnapshot(resolved: string): Promise<FileSnapshot | undefined> {
  let handle: DiskFile;
  try {
    // Not blocking: a FIFO without a writer would hold us for ever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    handle = await disk.open(resolved, flags);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'ELOOP') throw new ToolError(swapped(resolved));
    throw new ToolError(`${resolved} cannot be opened (${code}).`);
  }
  try {
    return await readOpened(handle, resolved);
  } finally {
    await handle.close();
  }
}

async function readOpened(handle: DiskFile, resolved: string): Promise<FileSnapshot> {
  const opened = await handle.stat();
  if (opened.isDirectory()) {
    throw new ToolError(`${resolved} is a folder. List it with Glob, or with ls in Bash.`);
  }
  if (!opened.isFile()) {
    throw new ToolError(`${resolved} is neither a file nor a folder (a device, pipe or socket).`);
  }
  if (opened.size > SIZE_LIMIT_BYTES) {
    throw new ToolError(
      `${resolved} has ${opened.size} bytes; files over ${SIZE_LIMIT_BYTES} are left to Grep and Bash.`,
    );
  }
  // A folder on the way may have become a link since the path was resolved.
  const isSame = (await disk.realpath(resolved).catch(() => '')) === resolved;
  const now = await disk.stat(resolved).catch(() => undefined);
  if (!isSame || now?.ino !== opened.ino || now.dev !== opened.dev) {
    throw new ToolError(swapped(resolved));
  }
  const bytes = await handle.readFile();
  const mode = opened.mode & 0o7777;
  return { path: resolved, bytes, mode, mtimeMs: opened.mtimeMs, digest: digestOf(bytes) };
}

function swapped(resolved: string): string {
  return `${resolved} was replaced while it was being opened. Try again.`;
}

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function toFileSeen({ path, mtimeMs, digest }: FileSnapshot): FileSeen {
  return { path, mtimeMs, digest };
}
