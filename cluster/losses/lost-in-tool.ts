import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { has, type Checked } from '../checked';
import { Desk } from './desk';
import { requireOutline } from './outline';
import { fileIn, requireOnce, type Stage } from './stage';

/** The command of the script: adds a line to `runs`, makes `started`, and waits for `go`. */
export const HELD = 'Hold a command.';
const ANSWER = '[scripted model] It says: Outcome unknown:';

export function lostInTool(stage: Stage): Checked {
  const { workers } = stage.options.cluster;
  return {
    claim: 'a Worker is killed while a command runs, and another one finishes the session',
    async look() {
      const played = await stage.play('lost-in-tool', HELD, deskOfFirst(stage));
      await fileIn(played.folder, 'started');
      const lost = await stage.ownerOf(played);

      await lost.kill();
      const killedAt = performance.now();
      const followed = await played.followed;
      const seconds = ((performance.now() - killedAt) / 1000).toFixed(0);
      const heir = await stage.ownerOf(played);
      writeFileSync(join(played.folder, 'go'), '');
      await lost.start();

      if (heir === lost) throw new Error(`${lost.host} has finished what it was killed in.`);
      has(followed, ANSWER);
      requireOnce(played.folder, 'runs');
      const outline = await stage.outlineOf(played);
      const last = outline.at(-1) ?? '';
      requireOutline(outline, [`user: ${HELD}`, 'call Bash', 'result: unknown', last]);
      has(last, ANSWER);
      const calls = stage.modelCallsOf(played, 2);
      return `${lost.host} killed, finished by ${heir.host} of ${workers.length} after ${seconds} s; ${calls}; the command ran once, its outcome is reported as unknown; attach in a third home saw the answer`;
    },
  };
}

/** Where sessions are begun, so that no other Worker has to be started for them. */
export function deskOfFirst({ options }: Stage): Desk {
  const [first] = options.cluster.workers;
  if (first === undefined) throw new Error('The cluster has no Worker.');
  return Desk.at(options, first);
}
