import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isInside } from '../../permissions/file-target';
import { errorCode } from '../../tools/error-code';
import { takeSnapshot, toFileSeen } from '../../tools/file-snapshot';
import type { FileSeen } from '../../transcript/record';
import { toReminder } from '../reminder';
import { filesKnown, toNoticeKey, type KnownFile } from './known-file';
import { recallText } from './recalled-text';
import { showChange } from './shown-change';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

const FILE_CHARS = 3_000;
const ALL_CHARS = 8_000;
/** Larger files are named only. */
const SHOWN_BYTES = 256 * 1024;
/** Files that are open and in memory at the same time. */
const AT_ONCE = 32;

/** Tells of files that are no longer as the conversation last saw them. A change that is shown whole counts as
 *  read; of others the model is told once, and Edit demands a Read as before. */
export async function attachFileChanges(facts: TurnFacts): Promise<TurnAttachment | null> {
  const touched = [...filesKnown(facts.chain).values()].reverse().filter(isTouched);
  if (touched.length === 0) return null;
  const roots = await Promise.all(facts.roots.map((root) => realpath(root).catch(() => root)));
  const mayLook = (file: string): boolean =>
    isInside(file, roots) && (facts.mayRead?.(file) ?? true);
  const changes: Change[] = [];
  for (let first = 0; first < touched.length; first += AT_ONCE) {
    const looked = touched.slice(first, first + AT_ONCE).map((file) => lookAt(file, mayLook));
    changes.push(...(await Promise.all(looked)).filter((change) => change !== null));
  }
  if (changes.length === 0) return null;
  const notices = describe(changes, facts);
  return {
    type: 'file_changed',
    text: toReminder(
      [
        'Files that you have seen have been changed meanwhile, by the user or by a program. Take it that this was meant: do not undo it, and mention it only if it matters for the task.',
        ...notices.map(({ text }) => text),
      ].join('\n\n'),
    ),
    filesSeen: notices.flatMap(({ seen }) => seen ?? []),
    keys: notices.flatMap(({ keys }) => keys),
  };
}

/** `after` is null when there is nothing that could be shown. */
type Change =
  | { readonly type: 'deleted'; readonly path: string }
  | {
      readonly type: 'changed';
      readonly path: string;
      readonly seen: FileSeen;
      readonly after: string | null;
    };

/** Every turn asks this of every file that the conversation knows: at once, because a trip through the thread pool
 *  costs ten times the look itself. */
function isTouched({ seen, told }: KnownFile): boolean {
  if (told === 'deleted') return false;
  try {
    const found = statSync(seen.path, { throwIfNoEntry: false });
    return found === undefined || (told === null && found.mtimeMs !== seen.mtimeMs);
  } catch {
    // Out of reach: whether it is gone is told by the closer look.
    return true;
  }
}

/** null: its text is as it was, or it is not ours to look at. */
async function lookAt(
  { seen }: KnownFile,
  mayLook: (file: string) => boolean,
): Promise<Change | null> {
  const { path } = seen;
  if (!mayLook(path)) return null;
  try {
    const place = await realpath(path);
    if (!mayLook(place)) return null;
    const snapshot = await takeSnapshot(place);
    if (snapshot === undefined || snapshot.digest === seen.digest) return null;
    const after = snapshot.bytes.length > SHOWN_BYTES ? null : decode(snapshot.bytes);
    return { type: 'changed', path, seen: { ...toFileSeen(snapshot), path }, after };
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
    return isGone ? { type: 'deleted', path } : null;
  }
}

interface Notice {
  readonly text: string;
  readonly seen?: FileSeen;
  readonly keys: readonly string[];
}

/** What was seen last comes first; when the room is used up the rest is named, and in the end counted. */
function describe(changes: readonly Change[], { chain }: TurnFacts): readonly Notice[] {
  const notices: Notice[] = [];
  const unnamed: string[] = [];
  let left = ALL_CHARS;
  for (const change of changes) {
    const before =
      change.type === 'changed' && change.after !== null ? recallText(chain, change.path) : null;
    const notice = [describeChange(change, before), named(change)].find(
      ({ text }) => text.length < left,
    );
    left -= notice?.text.length ?? 0;
    if (notice === undefined) unnamed.push(keyOf(change));
    else notices.push(notice);
  }
  if (unnamed.length === 0) return notices;
  const text = `${unnamed.length} more files that you have seen have changed or are gone: read a file again before you rely on it.`;
  return [...notices, { text, keys: unnamed }];
}

function describeChange(change: Change, before: string | null): Notice {
  if (change.type === 'deleted' || change.after === null || before === null) return named(change);
  const { path, seen, after } = change;
  const shown = showChange(path, { before, after }, FILE_CHARS);
  return shown.isWhole
    ? { text: shown.text, seen, keys: [] }
    : { text: shown.text, keys: [keyOf(change)] };
}

function named(change: Change): Notice {
  const what =
    change.type === 'deleted'
      ? 'is no longer there.'
      : 'has changed: read it again before you rely on it.';
  return { text: `${change.path} ${what}`, keys: [keyOf(change)] };
}

const keyOf = ({ type, path }: Change): string => toNoticeKey(type, path);

/** null: no text. */
function decode(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
