import { execFileSync } from 'node:child_process';
import { disk } from '../../disk/disk';
import type { TreeMark } from './tree-mark';

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

/** One look at the processes of this machine. */
interface ProcessLook {
  /** All that were there. */
  readonly pids: ReadonlySet<number>;
  /** Those that were read. */
  readonly entries: readonly ProcessEntry[];
  /** false: one was gone before it could be read, and may have left children that nobody has seen. */
  readonly isComplete: boolean;
}

/** Leaves out what the caller knows already. Synchronous on purpose: between a look and the signal that follows
 *  no other code of ours runs. */
export function lookAtProcesses(known: ReadonlySet<number>): ProcessLook {
  if (!HAS_PROC) {
    const all = readWithPs(['-A']);
    const pids = new Set(all.map(({ pid }) => pid));
    return { pids, entries: all.filter(({ pid }) => !known.has(pid)), isComplete: true };
  }
  const names = disk.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pids = new Set(names.map(Number));
  const unread = [...pids].filter((pid) => !known.has(pid));
  const entries = unread.flatMap((pid) => readFromProc(pid) ?? []);
  return { pids, entries, isComplete: entries.length === unread.length };
}

export function readProcess(pid: number): ProcessEntry | undefined {
  return HAS_PROC ? readFromProc(pid) : readWithPs(['-p', String(pid)])[0];
}

/** The pid that was given out last, perhaps to a process that is not to be seen yet; undefined: nobody tells. */
export function newestPid(): number | undefined {
  const pid = HAS_PROC ? Number(readIfThere('/proc/loadavg')?.trim().split(' ').at(-1)) : 0;
  return pid > 0 ? pid : undefined;
}

/** Whether the process inherited the mark; false where that cannot be seen. */
export function hasMark(pid: number, { environmentLine, lockLimit }: TreeMark): boolean {
  if (!HAS_PROC) return false;
  if (lockLimit !== null && lockLimitOf(pid) === lockLimit) return true;
  return (readIfThere(`/proc/${pid}/environ`) ?? '').split('\0').includes(environmentLine);
}

function lockLimitOf(pid: number): string | undefined {
  const limits = readIfThere(`/proc/${pid}/limits`) ?? '';
  return /^Max file locks +(\S+)/m.exec(limits)?.[1];
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
    return disk.readFileSync(file, 'latin1');
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
