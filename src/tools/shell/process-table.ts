import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One process of this machine. pid and start time together are never reused. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** An opaque mark of the moment it started. */
  readonly startTime: string;
  /** It has ended and only waits to be collected. */
  readonly isZombie: boolean;
}

const HAS_PROC = process.platform === 'linux';

/** Synchronous on purpose: between a look and the signal that follows no other code of ours runs. */
export function readProcessTable(): readonly ProcessEntry[] {
  if (!HAS_PROC) return readWithPs(['-A']);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readFromProc(Number(pid)) ?? []);
}

export function readProcess(pid: number): ProcessEntry | undefined {
  return HAS_PROC ? readFromProc(pid) : readWithPs(['-p', String(pid)])[0];
}

/** Whether the process was started with this line in its environment; false where that cannot be seen. */
export function hasEnvironmentLine(pid: number, line: string): boolean {
  if (!HAS_PROC) return false;
  return (readIfThere(`/proc/${pid}/environ`) ?? '').split('\0').includes(line);
}

function readFromProc(pid: number): ProcessEntry | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold spaces and parentheses; proc(5) numbers the fields from 1, state is 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime: fields[22 - 3] ?? '',
    isZombie: state === 'Z' || state === 'X',
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // Gone meanwhile, or another user's.
    return undefined;
  }
}

/** The start time has to read the same whoever asks, so language and time zone are fixed. */
const PS_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC0', PATH: '/bin:/usr/bin' };

/** For systems without /proc. */
export function readWithPs(selection: readonly string[]): readonly ProcessEntry[] {
  const columns = ['pid=', 'ppid=', 'pgid=', 'stat=', 'lstart='].flatMap((name) => ['-o', name]);
  let listing: string;
  try {
    listing = execFileSync('ps', [...selection, ...columns], {
      env: PS_ENVIRONMENT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // Its status when no process was selected.
    return [];
  }
  return listing
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length > 4)
    .map(([pid, parent, group, state, ...startTime]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startTime: startTime.join(' '),
      isZombie: state?.startsWith('Z') ?? false,
    }));
}
