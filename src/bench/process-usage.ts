import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for everybody who reads /proc. */
const MS_PER_TICK = 10;

/** CPU time of a process so far, user and system, all threads; NaN: of one elsewhere. Fails: when the process is gone, or without /proc. */
export function cpuMsOf(pid: number | null): number {
  if (pid === null) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name, which may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) * MS_PER_TICK;
}

/** Resident memory; NaN: of a process elsewhere. */
export function rssBytesOf(pid: number | null): number {
  if (pid === null) return Number.NaN;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024;
}
