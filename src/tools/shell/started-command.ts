import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ProcessIdentity } from './process-identity';
import { abandon, createFile, readIdentity, requireClaim } from './start-claim';
import { wrapperScript } from './wrapper-script';
import type { CommandFiles } from './wrapper-script';

/** A command that was started, by this attempt or by one before it. */
export interface StartedCommand {
  readonly files: CommandFiles;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  /** "NAME=value" in the environment of everything it started. */
  readonly environmentLine: string;
  /** Set while this process is its parent. */
  readonly child: ChildProcess | null;
  /** null: the wrapper has not named itself yet. */
  readonly identity: () => Promise<ProcessIdentity | null>;
}

interface CommandStart {
  readonly command: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly callFolder: string;
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
  await mkdir(start.callFolder, { recursive: true, mode: 0o700 });
  const number = await reserveNumber(start);
  // Again: another attempt may have reserved a lower number meanwhile.
  return (
    (await findStartedCommand(start.callFolder, number)) ?? (await spawnWrapper(start, number))
  );
}

async function spawnWrapper(start: CommandStart, number: number): Promise<StartedCommand> {
  start.signal.throwIfAborted();
  const files = filesOf(start.callFolder, number);
  const output = await open(files.output, 'a', 0o600);
  const environmentLine = markOf(start.callFolder);
  try {
    const startedAtMs = Date.now();
    const [name = '', value] = environmentLine.split('=');
    const child = spawn('/bin/sh', ['-c', wrapperScript(files), 'everloop'], {
      cwd: start.workingDirectory,
      env: { ...start.environment, [name]: value },
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    });
    await once(child, 'spawn');
    const identity = () => readIdentity(files);
    return { files, startedAtMs, environmentLine, child, identity };
  } finally {
    await output.close();
  }
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
    const { mtimeMs } = await stat(files.process);
    return {
      files,
      startedAtMs: mtimeMs,
      environmentLine: markOf(callFolder),
      child: null,
      identity: () => Promise.resolve(identity),
    };
  }
  return undefined;
}

async function reserveNumber({ callFolder, command }: CommandStart): Promise<number> {
  const numbers = await startNumbers(callFolder);
  for (let number = (numbers.at(-1) ?? 0) + 1; ; number++) {
    const file = filesOf(callFolder, number).command;
    if (await createFile(file, command)) return number;
  }
}

async function startNumbers(callFolder: string): Promise<readonly number[]> {
  const names = await readdir(callFolder).catch(() => []);
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

function markOf(callFolder: string): string {
  return `EVERLOOP_CALL=${createHash('sha256').update(callFolder).digest('hex').slice(0, 32)}`;
}
