import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { disk } from '../../disk/disk';
import { endTree, findEnding } from './command-ending';
import { isFlooding } from './output-limit';
import { lookForCommand, obtainCommand } from './started-command';
import type { CommandStart, StartedCommand } from './started-command';
import { readVerdict, writeVerdict } from './verdict';
import type { Verdict } from './verdict';

/** Names itself within milliseconds; this long on a machine that is busy beyond measure. */
const NAMED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 5;

/** A command that runs beside the conversation, in a folder of its own under the session's shells. It outlives the
 *  Worker: whoever serves the session next finds it there. */
export interface BackgroundShell {
  readonly id: string;
  readonly folder: string;
  readonly command: StartedCommand;
}

/** Where a shell stands. `killed`: we ended it. `lost`: it is gone and has left no exit code. */
export interface ShellState {
  readonly status: 'running' | 'completed' | 'failed' | 'killed' | 'lost';
  /** null: it runs, or did not come to its end. */
  readonly exitCode: number | null;
  /** null: nobody ended it. */
  readonly verdict: Verdict | null;
}

/** The same call gives the same shell, however many attempts it takes.
 *  Fails: with the signal's reason; OutcomeUnknown when a wrapper was lost in the middle of its start. */
export async function startShell(
  shellsFolder: string,
  start: CommandStart,
): Promise<BackgroundShell> {
  const id = shellId(start.callFolder);
  const folder = path.join(shellsFolder, id);
  const command = await obtainCommand({ ...start, callFolder: folder });
  command.child?.unref();
  await untilNamed(command);
  if (start.signal.aborted) {
    await endTree(command);
    throw start.signal.reason;
  }
  return { id, folder, command };
}

/** undefined: the session has started no such shell. */
export async function findShell(
  shellsFolder: string,
  id: string,
): Promise<BackgroundShell | undefined> {
  // It comes from the model, and becomes a path.
  if (!/^bash_[0-9a-f]+$/.test(id)) return undefined;
  const folder = path.join(shellsFolder, id);
  const command = await lookForCommand(folder);
  return command === undefined ? undefined : { id, folder, command };
}

/** All that the session has started, whatever became of them, oldest first. */
export async function listShells(shellsFolder: string): Promise<readonly BackgroundShell[]> {
  // Asked every turn, and most sessions have none.
  if (!disk.existsSync(shellsFolder)) return [];
  const ids = await disk.readdir(shellsFolder).catch(() => []);
  const found = await Promise.all(ids.map((id) => findShell(shellsFolder, id)));
  return found
    .filter((shell) => shell !== undefined)
    .sort((one, other) => one.command.startedAtMs - other.command.startedAtMs);
}

/** A shell that floods the disk is ended by whoever sees it first. */
export async function stateOf({ command }: BackgroundShell): Promise<ShellState> {
  const verdict = await readVerdict(command.files);
  if (verdict !== undefined) return { status: 'killed', exitCode: null, verdict };
  const ending = await findEnding(command);
  if (ending === undefined) {
    if (!(await isFlooding(command.files))) return RUNNING;
    await endShell(command, 'output_limit');
    return { status: 'killed', exitCode: null, verdict: 'output_limit' };
  }
  if (ending.type !== 'exited') return { status: 'lost', exitCode: null, verdict: null };
  const { code } = ending;
  return { status: code === 0 ? 'completed' : 'failed', exitCode: code, verdict: null };
}

const RUNNING: ShellState = { status: 'running', exitCode: null, verdict: null };

/** Ends its whole tree. The reason is written first: its exit code alone would mislead.
 *  Returns whether nothing is left of it. */
export async function endShell(command: StartedCommand, verdict: Verdict): Promise<boolean> {
  await writeVerdict(command.files, verdict);
  return endTree(command);
}

/** Ends all that run and what others have left behind, because the session has ended or was told to stop.
 *  Returns how many ran. */
export async function endShells(shellsFolder: string): Promise<number> {
  const shells = await listShells(shellsFolder);
  const ended = shells.map(async (shell) => {
    const { status } = await stateOf(shell);
    if (status === 'running') await endShell(shell.command, 'session_ended');
    else if (status !== 'killed') await endTree(shell.command);
    return status === 'running';
  });
  return (await Promise.all(ended)).filter(Boolean).length;
}

/** What the model wrote. */
export function commandText({ command }: BackgroundShell): Promise<string> {
  return disk.readFile(command.files.command, 'utf8');
}

/** Whether the conversation knows that the shell has ended. */
export async function isEndTold({ folder }: BackgroundShell): Promise<boolean> {
  return (await disk.stat(path.join(folder, 'told')).catch(() => undefined)) !== undefined;
}

export async function noteEndTold({ folder }: BackgroundShell): Promise<void> {
  await disk.writeFile(path.join(folder, 'told'), '', { mode: 0o600 });
}

function shellId(callFolder: string): string {
  return `bash_${createHash('sha256').update(callFolder).digest('hex').slice(0, 8)}`;
}

/** Until others can find it by its name, or it is gone already. */
async function untilNamed(command: StartedCommand): Promise<void> {
  const deadline = Date.now() + NAMED_WITHIN_MS;
  while ((await command.identity()) === null) {
    const isGone = command.child !== null && command.child.exitCode !== null;
    if (isGone || Date.now() > deadline) {
      throw new Error(
        `The background shell did not start: ${command.files.process} names no process.`,
      );
    }
    await delay(LOOK_EVERY_MS);
  }
}
