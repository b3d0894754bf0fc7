import { disk } from '../disk/disk';
import { isInsideRoots, locate } from '../tools/confinement';
import { takeSnapshot, type FileSnapshot } from '../tools/file-snapshot';
import { ToolError } from '../tools/tool';
import type { SessionStore } from '../transcript/store';
import { filesAt, type FileThen } from './files-at';
import { lineCounts, type LineCounts } from './line-counts';
import type { RewindPoint } from './rewind-point';

/** `restore`: bytes or mode differ. `create`: it is gone. `remove`: it was not there. */
export type RewindAction = 'restore' | 'create' | 'remove';

/** One file that a rewind changes. */
export interface PlannedFile extends LineCounts {
  readonly path: string;
  readonly action: RewindAction;
  readonly then: FileThen;
}

/** A file that has to stay as it is. */
export interface BlockedFile {
  readonly path: string;
  /** For people. */
  readonly reason: string;
  /** A link, or something else that is no plain file, is where the file was. */
  readonly isLink: boolean;
}

export interface FilesPlan {
  readonly files: readonly PlannedFile[];
  readonly blocked: readonly BlockedFile[];
}

/** What has to be done to make the files what they were at the point. Changes nothing. */
export async function planFiles(session: SessionStore, point: RewindPoint): Promise<FilesPlan> {
  const files: PlannedFile[] = [];
  const blocked: BlockedFile[] = [];
  for (const then of filesAt(await session.ledger.events(), point)) {
    const planned = await planFile(session, then);
    if (planned === null) continue;
    if ('reason' in planned) blocked.push(planned);
    else files.push(planned);
  }
  return { files, blocked };
}

/** null: it is as it was. */
export async function planFile(
  session: SessionStore,
  then: FileThen,
): Promise<PlannedFile | BlockedFile | null> {
  const { path, state } = then;
  const refusal = await whyOutOfReach(then);
  if (refusal !== null) return refusal;
  let now: FileSnapshot | undefined;
  try {
    now = await takeSnapshot(path);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { path, reason: error.message, isLink: true };
  }
  if (state === null) {
    if (now === undefined) return null;
    return { path, action: 'remove', then, ...lineCounts(now.bytes, null) };
  }
  const hasMode = state.mode === null || state.mode === now?.mode;
  if (now?.digest === state.digest && hasMode) return null;
  const bytes = await session.kept.get(state.digest);
  if (bytes === undefined) {
    const reason = `what it was then is not kept any more (digest ${state.digest})`;
    return { path, reason, isLink: false };
  }
  const action = now === undefined ? 'create' : 'restore';
  return { path, action, then, ...lineCounts(now?.bytes ?? null, bytes) };
}

/** Files of the session's folders alone, and only where they were: a link may lead anywhere. */
async function whyOutOfReach({ path, root }: FileThen): Promise<BlockedFile | null> {
  if (path === root) {
    const reason =
      'it lies outside of the folders of the session, and was changed with a permission of its own';
    return { path, reason, isLink: false };
  }
  const place = { workingDirectory: root, roots: [root] };
  const found = await locate(path, place).catch(() => undefined);
  const isWhereItWas = found?.path === path && isInsideRoots(path, [root]);
  if (isWhereItWas && disk.realpathSync(root) === root) return null;
  const reason = `a link is in the way: it leads to ${found?.path ?? 'nowhere'}`;
  return { path, reason, isLink: true };
}
