import path from 'node:path';
import { z } from 'zod';
import { disk } from '../disk/disk';
import { syncFolder } from '../disk/folder';
import type { FileSeen } from '../transcript/record';
import { isInsideRoots } from './confinement';
import { digestOf, toFileSeen } from './file-snapshot';
import type { FileSnapshot } from './file-snapshot';
import { OutcomeUnknown } from './outcome-unknown';
import { clearTemporaryFiles, replaceFile } from './replace-file';
import type { ComingChange, ToolContext } from './tool';

/** What a call is about to make of a file, noted before it happens: by comparing the file with both digests a
 *  later attempt knows whether the change was made. */
const IntendedChange = z.object({
  path: z.string(),
  /** null: no file before. */
  before: z.string().nullable(),
  after: z.string(),
});
type IntendedChange = z.infer<typeof IntendedChange>;

/** Replaces the file, or creates it, so that a later attempt of the same call can tell that it was done. */
export async function changeFile(
  change: Omit<ComingChange, 'root'>,
  context: ToolContext,
): Promise<FileSeen> {
  const { path: resolved, existing, bytes } = change;
  context.signal.throwIfAborted();
  const before = existing?.digest ?? null;
  const note: IntendedChange = { path: resolved, before, after: digestOf(bytes) };
  await disk.mkdir(context.callFolder, { recursive: true, mode: 0o700 });
  await disk.writeFile(noteFile(context), JSON.stringify(note), { mode: 0o600 });
  const root =
    context.roots.find((one) => isInsideRoots(resolved, [one])) ?? path.dirname(resolved);
  await context.beforeChange?.({ ...change, root });
  const mode = existing?.mode ?? null;
  return replaceFile({ path: resolved, bytes, mode, callFolder: context.callFolder });
}

/** Whether an earlier attempt got as far as a change, made or not. */
export async function hasIntendedChange(context: ToolContext): Promise<boolean> {
  return (await findNote(context)) !== undefined;
}

/** The file as an earlier attempt of this call left it, or undefined if that made no change.
 *  Fails: OutcomeUnknown when the file is neither as before nor as intended. */
export async function findChangeMade(
  resolved: string,
  now: FileSnapshot | undefined,
  context: ToolContext,
): Promise<FileSeen | undefined> {
  const note = await findNote(context);
  if (note?.path !== resolved) return undefined;
  await clearTemporaryFiles({ path: resolved, callFolder: context.callFolder });
  if (now?.digest === note.after) return lasting(now);
  if ((now?.digest ?? null) === note.before) return undefined;
  throw new OutcomeUnknown(
    `An earlier attempt to change ${resolved} was interrupted, and the file has changed since: ` +
      `it may or may not hold the intended change. Read it and decide.`,
  );
}

/** A change that an earlier attempt has made, and may have been lost before it was on disk. */
export async function lasting(made: FileSnapshot): Promise<FileSeen> {
  await syncFolder(path.dirname(made.path));
  return toFileSeen(made);
}

async function findNote(context: ToolContext): Promise<IntendedChange | undefined> {
  try {
    return IntendedChange.parse(JSON.parse(await disk.readFile(noteFile(context), 'utf8')));
  } catch {
    // Missing or torn: the attempt did not get as far as the change.
    return undefined;
  }
}

function noteFile(context: ToolContext): string {
  return path.join(context.callFolder, 'intended-change.json');
}
