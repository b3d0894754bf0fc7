import { disk } from '../../disk/disk';
import { readProcess } from './process-table';

/** A process as its own wrapper wrote it down: "PID BOOT START…". pids are reused, after a reboot all at once. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly boot: string;
  readonly startTime: string;
}

export function parseIdentity(line: string): ProcessIdentity {
  const [pid, boot = '', ...startTime] = line.trim().split(/\s+/);
  return { pid: Number(pid), boot, startTime: startTime.join(' ') };
}

/** A zombie counts as ended: in a container often nobody collects it. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.boot !== currentBoot()) return false;
  const entry = readProcess(identity.pid);
  return entry?.startTime === identity.startTime && !entry.isZombie;
}

/** Names the time since the machine was started; "-" where the system does not tell, as in the wrapper. */
export function currentBoot(): string {
  try {
    return disk.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}
