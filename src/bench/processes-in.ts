import { readdirSync, readlinkSync } from 'node:fs';
import { readProcess } from '../tools/shell/process-table';

/** Processes that work in the folder, whoever started them and whatever they inherited. Zombies have no folder. */
export function processesIn(folder: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder && readProcess(pid)?.isZombie === false;
    } catch {
      // Gone meanwhile, or another user's.
      return false;
    }
  });
}
