import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processesIn } from '../processes-in';

/** A command that is hard to end. It works in its folder, writes `ready` there, and goes on only as long as the file
 *  `alive` is there, so that nothing outlives a run that fails. */
export interface StubbornTree {
  readonly name: string;
  readonly command: string;
}

/** What the commands run, and the file that keeps them going. */
export function writeTreeScripts(folder: string): void {
  writeFileSync(join(folder, 'alive'), '');
  writeFileSync(join(folder, 'stay.sh'), `trap "" TERM HUP\n> ready\n${STAY}\n`);
  writeFileSync(join(folder, 'hop.sh'), '[ -e alive ] || exit\n> ready\nsetsid bash hop.sh &\n');
}

/** When the tree was alive, in ms since the epoch: each process of one that forks and leaves writes `ready`. */
export const lastSign = (folder: string): number => statSync(join(folder, 'ready')).mtimeMs;

const SILENCE_MS = 200;

/** Whether something of it is left. Of one that forks and leaves there is mostly nothing but its signs to be seen, so that
 *  this takes 200 ms. */
export async function goesOn(folder: string): Promise<boolean> {
  const before = lastSign(folder);
  await pause(SILENCE_MS);
  return lastSign(folder) !== before || processesIn(folder).length > 0;
}

const STAY = 'while [ -e alive ]; do sleep 0.05; done';

export const STUBBORN_TREES: readonly StubbornTree[] = [
  { name: 'ignores SIGTERM', command: 'bash stay.sh' },
  { name: 'nohup, its parent gone', command: `(nohup bash stay.sh >/dev/null 2>&1 &); ${STAY}` },
  { name: 'in a session of its own', command: `(setsid bash stay.sh &); ${STAY}` },
  {
    name: 'left its session and its environment',
    command: `(env -i setsid bash stay.sh &); ${STAY}`,
  },
  {
    name: 'also closed all it had inherited open',
    command: `(env -i setsid bash -c 'exec 0>&- 1>&- 2>&-; (bash stay.sh &)' &); ${STAY}`,
  },
  {
    name: 'forks and leaves in a loop',
    command: `hop() { [ -e alive ] || exit; > ready; hop & }; hop; ${STAY}`,
  },
  { name: 'does so in a session of its own each time', command: `bash hop.sh; ${STAY}` },
  {
    name: 'does so without environment',
    command: `(env -i setsid bash hop.sh &); ${STAY}`,
  },
  {
    name: 'starts more and more',
    command: `trap '' TERM; > ready; while [ -e alive ]; do setsid sleep 60 & sleep 0.01; done`,
  },
];
