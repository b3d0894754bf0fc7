import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { disk } from '../../disk/disk';
import { failpoint } from '../../failpoint/failpoint';
import { enclose, type Enclosure } from '../../sandbox/enclose';
import type { Sandbox } from '../../sandbox/sandbox';
import type { ProcessIdentity } from './process-identity';
import { abandon, createFile, readIdentity, requireClaim } from './start-claim';
import { markOf } from './tree-mark';
import type { TreeMark } from './tree-mark';
import { wrapperScript } from './wrapper-script';
import type { CommandFiles } from './wrapper-script';

/** A command that was started, by this attempt or by one before it. */
export interface StartedCommand {
  readonly files: CommandFiles;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  /** On everything that it started. */
  readonly mark: TreeMark;
  /** Set while this process is its parent. */
  readonly child: ChildProcess | null;
  /** null: the wrapper has not named itself yet. */
  readonly identity: () => Promise<ProcessIdentity | null>;
  /** Tells its sandbox that it has ended, if this process started it. */
  readonly letGo: () => void;
}

export interface CommandStart {
  readonly command: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly callFolder: string;
  /** What keeps the command in; absent: nothing does. */
  readonly sandbox?: Sandbox;
  /** Nothing is started once it has aborted. */
  readonly signal: AbortSignal;
}

/** The command of this call: the one that an earlier attempt started, else started now so that it outlives this
 *  process (its own session, nothing of ours open in it). However many attempts there are, also at a time, one
 *  start at most runs: each start has a number, its wrapper claims that number before it runs anything, and
 *  whoever starts the next has claimed all numbers before it, so that those wrappers give up.
 *  Fails: OutcomeUnknown when a wrapper was lost in the middle of its claim. */
export async function obtainCommand(start: CommandStart): Promise<StartedCommand> {
  const started = await findStartedCommand(start.callFolder);
  if (started !== undefined) return started;
  await disk.mkdir(start.callFolder, { recursive: true, mode: 0o700 });
  const number = await reserveNumber(start);
  // Again: another attempt may have reserved a lower number meanwhile.
  return (
    (await findStartedCommand(start.callFolder, number)) ?? (await spawnWrapper(start, number))
  );
}

async function spawnWrapper(start: CommandStart, number: number): Promise<StartedCommand> {
  start.signal.throwIfAborted();
  const files = filesOf(start.callFolder, number);
  const enclosure = await encloseStart(start, files, number);
  const output = await disk.open(files.output, 'a', 0o600);
  const mark = markOf(start.callFolder);
  try {
    const startedAtMs = Date.now();
    const [name = '', value] = mark.environmentLine.split('=');
    failpoint('shell.spawn.before');
    const script = wrapperScript(files, mark.lockLimit, enclosure);
    const child = spawn('/bin/sh', ['-c', script, 'everloop'], {
      cwd: start.workingDirectory,
      env: { ...start.environment, [name]: value },
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
    const letGo = () => enclosure?.release();
    child.once('exit', letGo);
    await once(child, 'spawn');
    failpoint('shell.spawn.after');
    const identity = () => readIdentity(files);
    return { files, startedAtMs, mark, child, identity, letGo };
  } finally {
    await output.close();
  }
}

/** The command reads what it is and writes where it ended; all else of the call is closed to it. */
async function encloseStart(
  { sandbox, callFolder, workingDirectory }: CommandStart,
  { command, folder }: CommandFiles,
  number: number,
): Promise<Enclosure | undefined> {
  if (sandbox === undefined) return undefined;
  await disk.writeFile(folder, '', { mode: 0o600 });
  return enclose(sandbox, {
    folder: callFolder,
    name: `sandbox.${number}`,
    workingDirectory,
    files: { read: [command], written: [folder] },
    endsWithParent: false,
  });
}

/** Undefined when it is certain that no start below this number has run or will. */
async function findStartedCommand(
  callFolder: string,
  below = Infinity,
): Promise<StartedCommand | undefined> {
  for (const number of await startNumbers(callFolder)) {
    const files = filesOf(callFolder, number);
    if (number >= below || (await abandon(files))) continue;
    const identity = await requireClaim(files);
    if (identity === 'abandoned') continue;
    return adopted(callFolder, files, identity);
  }
  return undefined;
}

/** The command of a call that has been started, for a look from outside: changes nothing. Undefined: none has
 *  named itself yet. */
export async function lookForCommand(callFolder: string): Promise<StartedCommand | undefined> {
  for (const number of await startNumbers(callFolder)) {
    const files = filesOf(callFolder, number);
    const identity = await readIdentity(files);
    if (identity !== null) return adopted(callFolder, files, identity);
  }
  return undefined;
}

async function adopted(
  callFolder: string,
  files: CommandFiles,
  identity: ProcessIdentity,
): Promise<StartedCommand> {
  const { mtimeMs } = await disk.stat(files.process);
  return {
    files,
    startedAtMs: mtimeMs,
    mark: markOf(callFolder),
    child: null,
    identity: () => Promise.resolve(identity),
    letGo: () => undefined,
  };
}

async function reserveNumber({ callFolder, command }: CommandStart): Promise<number> {
  const numbers = await startNumbers(callFolder);
  for (let number = (numbers.at(-1) ?? 0) + 1; ; number++) {
    const file = filesOf(callFolder, number).command;
    if (await createFile(file, command)) return number;
  }
}

async function startNumbers(callFolder: string): Promise<readonly number[]> {
  const names = await disk.readdir(callFolder).catch(() => []);
  return names
    .flatMap((name) => /^command\.(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

function filesOf(callFolder: string, number: number): CommandFiles {
  return {
    command: path.join(callFolder, `command.${number}`),
    process: path.join(callFolder, `process.${number}`),
    output: path.join(callFolder, 'output'),
    exit: path.join(callFolder, 'exit'),
    folder: path.join(callFolder, 'folder'),
  };
}
