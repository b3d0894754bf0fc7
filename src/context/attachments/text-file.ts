import { realpath } from 'node:fs/promises';
import { isInside } from '../../permissions/file-target';
import { takeSnapshot } from '../../tools/file-snapshot';

export interface TextFile {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly text: string;
  readonly mtimeMs: number;
}

const LIMIT_BYTES = 256 * 1024;

/** A file of instructions or notes; null: not there, no text, too large, or a link out of `root`: a cloned
 *  repository must not reach the user's other files. */
export async function readTextFile(file: string, root: string): Promise<TextFile | null> {
  try {
    const place = await realpath(file);
    if (!isInside(place, [await realpath(root)])) return null;
    const snapshot = await takeSnapshot(place);
    if (snapshot === undefined) return null;
    const { bytes, mtimeMs } = snapshot;
    if (bytes.length > LIMIT_BYTES || bytes.includes(0)) return null;
    return { path: place, text: bytes.toString('utf8').replace(/^\uFEFF/, ''), mtimeMs };
  } catch {
    return null;
  }
}
