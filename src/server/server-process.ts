import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { commandLine, processIdentity } from './process-identity';
import { ServerError } from './server-error';

const POLL_MS = 50;
const TERM_PATIENCE_MS = 10_000;
const KILL_PATIENCE_MS = 5_000;
const LOG_LIMIT_BYTES = 5 * 1024 * 1024;
const SHOWN_LOG_LINES = 12;

export interface StartedProcess {
  readonly pid: number;
  /** Resolves when the process ends, with how: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** The last lines that this process, and not one before it, wrote to the log. */
  readonly lastLogLines: () => string;
}

/** Starts the server so that it outlives us: own process group, its log for its output, nothing of ours inherited.
 *  The environment is bare, because a server that runs for weeks must not hold the API keys of whoever started it,
 *  and because TEMPORAL_* variables and temporal.toml would change what it does.
 */
export function startProcess(
  binary: string,
  args: readonly string[],
  logFile: string,
): StartedProcess {
  const folder = dirname(logFile);
  const log = openLog(logFile);
  // The shell is there for the umask: the server creates its database with the mode that it allows.
  const child = spawn('/bin/sh', ['-c', 'umask 077; exec "$@"', 'sh', binary, ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: { PATH: '/usr/bin:/bin', HOME: folder },
  });
  closeSync(log.descriptor);
  child.unref();
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(signal ? `signal ${signal}` : `exit code ${String(code)}`),
    );
  });
  if (child.pid === undefined) {
    throw new ServerError('start_failed', `/bin/sh could not be started in ${folder}.`);
  }
  return { pid: child.pid, ended, lastLogLines: () => lastLines(logFile, log.startBytes) };
}

/** True when the process is the server on this database, and not a stranger that got its pid. */
export async function isServerProcess(pid: number, database: string): Promise<boolean> {
  return (await commandLine(pid)).includes(`--db-filename ${database} `);
}

/** Ends the server on this database: SIGTERM, after 10 s SIGKILL. Resolves when it is gone.
 *  Fails: ServerError stop_failed.
 */
export async function endProcess(pid: number, database: string): Promise<void> {
  const identity = await processIdentity(pid);
  if (!(await isServerProcess(pid, database))) return;
  // A process that is ending loses its command line first, its files and sockets after that, and its identity last.
  const gone = async () => (await processIdentity(pid)) !== identity;
  const steps = [
    { signal: 'SIGTERM', patienceMs: TERM_PATIENCE_MS },
    { signal: 'SIGKILL', patienceMs: KILL_PATIENCE_MS },
  ] as const;
  for (const { signal, patienceMs } of steps) {
    signalProcess(pid, signal);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (await gone()) return;
      await delay(POLL_MS);
    }
  }
  throw new ServerError(
    'stop_failed',
    `The local Temporal server (process ${pid}) is still there after SIGKILL. End it by hand, then try again.`,
  );
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

function openLog(logFile: string): { readonly descriptor: number; readonly startBytes: number } {
  if (sizeOf(logFile) > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
  const startBytes = sizeOf(logFile);
  return { descriptor: openSync(logFile, 'a', 0o600), startBytes };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function lastLines(logFile: string, fromBytes: number): string {
  const written = readFileSync(logFile).subarray(fromBytes).toString('utf8').trim();
  return written.split('\n').slice(-SHOWN_LOG_LINES).join('\n');
}
