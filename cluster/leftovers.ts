import { readdirSync, readFileSync } from 'node:fs';

/** In the environment of every process of a cluster, and of what these start: the cluster's folder. */
export const MARK = 'EVERLOOP_CLUSTER';

/** Ends commands of agents, and background Workers that a command has started: they outlive their parents by design.
 *  Linux alone says what environment a process has; elsewhere they are left. */
export async function endLeftovers(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const mark = `\0${MARK}=${folder}\0`;
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    if (pid !== process.pid && environmentOf(pid).includes(mark)) kill(pid);
  }
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
  } catch {
    // It has ended, or is somebody else's.
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
