import { planFiles } from '../../checkpoints/plan-rewind';
import { rewindFiles } from '../../checkpoints/rewind-files';
import { findForkPoint } from '../../checkpoints/rewind-point';
import { forkInto } from '../../transcript/fork';
import { currentLeaf } from '../../transcript/rewound';
import type { SessionStore } from '../../transcript/store';
import type { PrintCommand } from '../command';
import type { OutputStream } from '../output/output-stream';
import type { ForkCommand } from './fork-command';
import { requirePoint } from './rewind';

export interface ForkDeps {
  readonly source: SessionStore;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Fails: CliError while the source is at work. */
  readonly requireIdle: () => Promise<void>;
  /** Makes the new session. Fails: when its id is taken. */
  readonly create: () => Promise<SessionStore>;
  /** Answers the prompt in the new session; returns the exit code. */
  readonly ask: (command: PrintCommand) => Promise<number>;
}

/** Begins the new session and asks it what is to be asked; else prints its id, alone on stdout for scripts.
 *  Fails: CliError for an unknown place; with `--files` also while the source is at work. */
export async function fork(command: ForkCommand, deps: ForkDeps): Promise<number> {
  const { source, stdout, stderr } = deps;
  const point = command.at === null ? null : await requirePoint(findForkPoint(source, command.at));
  const leaf = point === null ? await currentLeaf(source) : point.leaf;
  if (command.files) await deps.requireIdle();
  const target = await deps.create();
  await forkInto(target, source, leaf);
  const { sessionId } = target.meta;
  const restored =
    command.files && point !== null
      ? await rewindFiles(source, await planFiles(source, point))
      : null;
  for (const { path, reason } of restored?.blocked ?? []) {
    await stderr.write(`Left as it is: ${path}: ${reason}\n`);
  }
  const isStuck = (restored?.blocked.length ?? 0) > 0;
  await stderr.write(
    `Session ${sessionId} begins like ${source.meta.sessionId}${point === null ? '' : `, ${point.name}`}. ${filesSentence(restored?.files.length ?? null)}\n`,
  );
  if (command.ask !== null) {
    const session = { type: 'resume', sessionId } as const;
    const exitCode = await deps.ask({ ...command.ask, session });
    return exitCode === 0 && isStuck ? 1 : exitCode;
  }
  const told = { sessionId, forkOf: source.meta.sessionId, at: point?.name ?? null, leaf };
  await stdout.write(`${command.json ? JSON.stringify(told) : sessionId}\n`);
  await stderr.write(`Go on with it: everloop -p --resume ${sessionId} "…"\n`);
  return isStuck ? 1 : 0;
}

const filesSentence = (changed: number | null): string =>
  changed === null
    ? 'Files stay as they are (--files takes them back to the place, too).'
    : `Files that were taken back: ${changed}.`;
