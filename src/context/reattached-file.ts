import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { isInside } from '../permissions/file-target';
import type { Attachment } from './mentions';
import { toReminder } from './reminder';

/** spec/loop 3.7l: about 5,000 tokens of one file, 50,000 of all. Characters. */
const FILE_CHARS = 15_000;
const ALL_CHARS = 150_000;

type ReattachedFile = Pick<Attachment, 'text' | 'filesSeen'>;

export interface ReattachOptions {
  /** Newest first. Absolute. */
  readonly paths: readonly string[];
  /** Folders that may be read. Absolute, links resolved. */
  readonly roots: readonly string[];
  readonly mayRead?: (file: string) => boolean;
}

/** Files as they are now, for a conversation that has forgotten what it read. Files that are gone, no text, or not
 *  to be read any more are left out; a file that is shown in part has to be read again before it is edited. */
export async function reattachFiles(options: ReattachOptions): Promise<readonly ReattachedFile[]> {
  const attached: ReattachedFile[] = [];
  let room = ALL_CHARS;
  for (const path of options.paths) {
    const attachment = await readAgain(path, Math.min(room, FILE_CHARS), options);
    if (attachment === null) continue;
    room -= attachment.text.length;
    attached.push(attachment);
    if (room <= 0) break;
  }
  return attached;
}

async function readAgain(
  path: string,
  limit: number,
  { roots, mayRead = () => true }: ReattachOptions,
): Promise<ReattachedFile | null> {
  try {
    const place = await realpath(path);
    if (!isInside(place, roots) || !mayRead(path)) return null;
    const { mtimeMs, size } = await stat(place);
    if (size > 4 * ALL_CHARS) return null;
    const bytes = await readFile(place);
    if (bytes.includes(0)) return null;
    const text = bytes.toString('utf8');
    const isWhole = text.length <= limit;
    const shown = isWhole ? text : `${text.slice(0, limit)}\n… (cut; read the rest if you need it)`;
    const digest = createHash('sha256').update(bytes).digest('hex');
    return {
      text: toReminder(
        `You read ${path} before the summary. It was read again for you:\n\n<file path="${path}">\n${shown}\n</file>`,
      ),
      filesSeen: isWhole ? [{ path, mtimeMs, digest }] : [],
    };
  } catch {
    return null;
  }
}
