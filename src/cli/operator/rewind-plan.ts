import type { BlockedFile, FilesPlan, PlannedFile } from '../../checkpoints/plan-rewind';
import type { RewindPoint } from '../../checkpoints/rewind-point';
import type { SideEffect } from '../../checkpoints/side-effects';
import type { RewindCommand } from './rewind-command';

/** All that a rewind does, and does not. */
export interface RewindPlan extends FilesPlan {
  readonly sessionId: string;
  readonly point: RewindPoint;
  readonly parts: RewindCommand['parts'];
  readonly notUndone: readonly SideEffect[];
  /** Sentences that people should know. */
  readonly notes: readonly string[];
}

/** `isDone`: it was carried out. */
export function toJson(plan: RewindPlan, isDone: boolean): string {
  const { sessionId, point, parts, files, blocked, notUndone, notes } = plan;
  return JSON.stringify({
    sessionId,
    to: point.name,
    leaf: point.leaf,
    parts,
    done: isDone,
    files: files.map(({ path, action, insertions, deletions }) => ({
      path,
      action,
      insertions,
      deletions,
    })),
    blocked: blocked.map(({ path, reason }) => ({ path, reason })),
    notUndone,
    notes,
  });
}

const MOST_EFFECTS = 50;

export function toLines(plan: RewindPlan): readonly string[] {
  const { sessionId, point, parts, files, blocked, notUndone, notes } = plan;
  const conversation =
    parts === 'files'
      ? 'The conversation stays as it is.'
      : `The conversation goes on ${point.name}.`;
  return [
    `Session ${sessionId}, ${point.name}. ${conversation}`,
    ...(parts === 'conversation' ? ['Files stay as they are.'] : fileLines(files, blocked)),
    ...effectLines(notUndone),
    ...notes,
  ];
}

const WORDS = { restore: 'restored', create: 'created again', remove: 'removed' } as const;

function fileLines(
  files: readonly PlannedFile[],
  blocked: readonly BlockedFile[],
): readonly string[] {
  const listed = files.map(
    ({ path, action, insertions, deletions }) =>
      `  ${path}  ${WORDS[action]} (+${insertions} -${deletions})`,
  );
  return [
    files.length === 0 ? 'No file has to change.' : `Files (${files.length}):`,
    ...listed,
    ...(blocked.length === 0 ? [] : [`Files that have to stay as they are (${blocked.length}):`]),
    ...blocked.map(({ path, reason }) => `  ${path}: ${reason}`),
  ];
}

function effectLines(effects: readonly SideEffect[]): readonly string[] {
  if (effects.length === 0)
    return ['No command or other call since then has to be undone by hand.'];
  const left = effects.length - MOST_EFFECTS;
  return [
    `NOT undone, whatever they did since (${effects.length}):`,
    ...effects.slice(0, MOST_EFFECTS).map(({ tool, summary }) => `  ${tool}  ${summary}`.trimEnd()),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}
