import type { FileSnapshot } from './file-snapshot';
import type { ToolContext } from './tool';

/** Why this version of a file may not be changed yet, or null. The digest decides: a touched file is not a
 *  changed one, and a change within one tick of the clock is. */
export function whyNotChangeable(
  snapshot: FileSnapshot,
  filesSeen: ToolContext['filesSeen'],
): string | null {
  const seen = filesSeen.get(snapshot.path);
  if (seen === undefined) {
    return `${snapshot.path} has not been read in this conversation. Read it first, then change it.`;
  }
  if (seen.digest !== snapshot.digest) {
    return `${snapshot.path} has changed since it was read. Read it again before changing it.`;
  }
  return null;
}
