import path from 'node:path';
import { disk } from '../disk/disk';
import { errorCode } from './error-code';
import { ToolError } from './tool';
import type { ToolContext } from './tool';

type Place = Pick<ToolContext, 'workingDirectory' | 'roots'>;

/** Where a path of the model really leads: absolute, links and `..` resolved, also if it does not exist yet.
 *  Fails: ToolError when that cannot be told. */
export async function locate(
  file: string,
  place: Place,
): Promise<{ readonly path: string; readonly isInside: boolean }> {
  if (file.includes('\0')) {
    throw new ToolError(
      `The path ${JSON.stringify(file)} holds a NUL character. Give a plain path.`,
    );
  }
  const resolved = await resolveLinks(path.resolve(place.workingDirectory, file));
  return { path: resolved, isInside: isInsideRoots(resolved, place.roots) };
}

/** As `locate`, for a path that must lie inside the roots. */
export async function requireInside(file: string, place: Place): Promise<string> {
  const location = await locate(file, place);
  if (location.isInside) return location.path;
  throw new ToolError(
    `${file} is outside the folders of this session: it leads to ${location.path}, ` +
      `and only ${place.roots.join(', ')} may be used. ` +
      `To allow it, start the session with --add-dir ${path.dirname(location.path)}.`,
  );
}

export function isInsideRoots(resolved: string, roots: readonly string[]): boolean {
  return roots.some(
    (root) =>
      resolved === root || resolved.startsWith(root.endsWith(path.sep) ? root : root + path.sep),
  );
}

async function resolveLinks(absolute: string): Promise<string> {
  try {
    return await disk.realpath(absolute);
  } catch (error) {
    const code = errorCode(error);
    const parent = path.dirname(absolute);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === absolute) {
      throw new ToolError(`${absolute} cannot be resolved (${code}).`);
    }
    // A link to nowhere would be followed by whoever creates the file; where it leads cannot be checked.
    if (await isLink(absolute)) {
      throw new ToolError(`${absolute} is a symbolic link to a place that does not exist.`);
    }
    return path.join(await resolveLinks(parent), path.basename(absolute));
  }
}

async function isLink(absolute: string): Promise<boolean> {
  try {
    return (await disk.lstat(absolute)).isSymbolicLink();
  } catch {
    return false;
  }
}
