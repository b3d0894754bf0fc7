import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { rssBytesOf } from '../src/bench/process-usage';

/** What a Worker is started with so that its garbage can be collected from here. */
export const COLLECTABLE = {
  NODE_OPTIONS: `--require=${JSON.stringify(join(__dirname, 'collect-garbage.cjs'))}`,
};

const LOOK_EVERY_MS = 500;
const SETTLED_LOOKS = 4;
const SETTLES_WITHIN_MS = 30_000;
/** Between the highest and the lowest of the looks. */
const SETTLED_SHARE = 0.01;

/** Resident memory of a Worker after its garbage has been collected, bytes; it must have been started with
 *  `COLLECTABLE`. Where it goes on changing, the last of many looks. */
export async function collectedRssOf(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  const looks: number[] = [];
  const deadline = Date.now() + SETTLES_WITHIN_MS;
  for (;;) {
    await delay(LOOK_EVERY_MS);
    const now = rssBytesOf(pid);
    looks.push(now);
    const newest = looks.slice(-SETTLED_LOOKS);
    const spread = Math.max(...newest) - Math.min(...newest);
    const isSettled = newest.length === SETTLED_LOOKS && spread <= SETTLED_SHARE * now;
    if (isSettled || Date.now() > deadline) return now;
  }
}

/** Memory of a process and all that it has started, bytes; what they share is counted once. Linux alone says so. */
export function treeBytesOf(pid: number): number {
  const children = readdirSync('/proc').filter((each) => parentOf(each) === pid);
  return [pssBytesOf(pid), ...children.map((child) => treeBytesOf(Number(child)))].reduce(
    (sum, bytes) => sum + bytes,
  );
}

function parentOf(pid: string): number | undefined {
  if (!/^\d+$/.test(pid)) return undefined;
  const status = readIfThere(`/proc/${pid}/status`);
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
}

const pssBytesOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1_024;

/** '': it has ended meanwhile. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
