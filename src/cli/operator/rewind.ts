import { planFiles } from '../../checkpoints/plan-rewind';
import { rewindFiles } from '../../checkpoints/rewind-files';
import { findRewindPoint, NoSuchPoint, type RewindPoint } from '../../checkpoints/rewind-point';
import { sideEffectsBehind } from '../../checkpoints/side-effects';
import { builtInTools } from '../../tools/built-in-tools';
import type { SessionStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import type { requireIdle } from './require-idle';
import type { RewindCommand } from './rewind-command';
import { toJson, toLines, type RewindPlan } from './rewind-plan';

export interface RewindDeps {
  readonly session: SessionStore;
  readonly stdout: OutputStream;
  /** Fails: CliError while the session is at work. */
  readonly requireIdle: () => ReturnType<typeof requireIdle>;
  /** Asks the person at the terminal; null: nobody is there. */
  readonly confirm: (() => Promise<boolean>) | null;
}

/** Shows what a rewind does and does not undo, and carries it out when that is wanted. Returns the exit code: 1 if a
 *  file could not be given back. Fails: CliError for an unknown place, and while the session is at work. */
export async function rewind(command: RewindCommand, deps: RewindDeps): Promise<number> {
  const { session, stdout, confirm } = deps;
  const { json, yes } = command;
  await deps.requireIdle();
  const plan = await planRewind(session, command);
  const write = (lines: readonly string[]) => stdout.write(`${lines.join('\n')}\n`);
  if (!json) await write(toLines(plan));
  if (!(yes || (!json && confirm !== null && (await confirm())))) {
    await write(json ? [toJson(plan, false)] : ['Nothing was changed. To do it, add --yes.']);
    return 0;
  }
  await deps.requireIdle();
  const done = { ...plan, ...(await carryOut(session, plan)) };
  await write(json ? [toJson(done, true)] : doneLines(done));
  return done.blocked.length > 0 ? 1 : 0;
}

async function planRewind(session: SessionStore, command: RewindCommand): Promise<RewindPlan> {
  const { to, parts } = command;
  const point = await requirePoint(findRewindPoint(session, to));
  const files = parts === 'conversation' ? NO_FILES : await planFiles(session, point);
  return {
    ...files,
    sessionId: session.meta.sessionId,
    point,
    parts,
    notUndone: await sideEffectsBehind(session, point, builtInTools({ environment: {} })),
    notes: await notesOf(session, point),
  };
}

const NO_FILES = { files: [], blocked: [] } as const;

/** The files first: a crash leaves a conversation that does not speak of what is gone. */
async function carryOut(session: SessionStore, plan: RewindPlan) {
  const { parts, point } = plan;
  const done = parts === 'conversation' ? NO_FILES : await rewindFiles(session, plan);
  if (parts !== 'files') {
    await session.putRewind({ leaf: point.leaf, end: await session.lastLeaf(), usedBy: null });
  }
  return done;
}

/** A fork has the conversation of its source, and no record of what happened to files before it. */
async function notesOf(session: SessionStore, { leaf }: RewindPoint): Promise<readonly string[]> {
  const copied = await session.findAppended('fork');
  const isOlder = leaf === null || copied?.some(({ uuid }) => uuid === leaf) === true;
  if (copied === undefined || !isOlder) return [];
  return [
    'The session began as a fork: files are given back as they were when it began, not before.',
  ];
}

function doneLines({ sessionId, files, blocked, parts }: RewindPlan): readonly string[] {
  const stuck = blocked.map(({ path, reason }) => `Left as it is: ${path}: ${reason}`);
  const changed = parts === 'conversation' ? '' : ` Files changed: ${files.length}.`;
  const goOn = parts === 'files' ? '' : ` Go on with it: everloop -p --resume ${sessionId} "…"`;
  return [...stuck, `Done.${changed}${goOn}`];
}

/** A place that is not there is the caller's mistake. */
export async function requirePoint(finding: Promise<RewindPoint>): Promise<RewindPoint> {
  try {
    return await finding;
  } catch (error) {
    throw error instanceof NoSuchPoint ? new CliError(error.message) : error;
  }
}
