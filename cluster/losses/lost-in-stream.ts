import { has, type Checked } from '../checked';
import { deskOfFirst } from './lost-in-tool';
import { requireOutline } from './outline';
import { PATIENCE_MS, requireOnce, type Stage } from './stage';

const PROMPT = 'Speak, and then act.';
/** Of the script: there the model falls silent in the midst of its first reply. */
const GATE = 'mid-stream';

export function lostInStream(stage: Stage): Checked {
  const { model } = stage.options;
  return {
    claim: 'a Worker is killed while the model speaks, and another one finishes the session',
    async look() {
      const played = await stage.play('lost-in-stream', PROMPT, deskOfFirst(stage));
      await model.waitUntilHeld(GATE, { timeoutMs: PATIENCE_MS });
      const lost = await stage.ownerOf(played);
      const requests = model.requests.length;

      await lost.kill();
      const killedAt = performance.now();
      await model.waitForRequest(requests, { timeoutMs: PATIENCE_MS });
      model.release(GATE);
      const followed = await played.followed;
      const seconds = ((performance.now() - killedAt) / 1000).toFixed(0);
      const heir = await stage.ownerOf(played);
      await lost.start();

      if (heir === lost) throw new Error(`${lost.host} has finished what it was killed in.`);
      has(followed, '[scripted model] Spoken and done.');
      requireOnce(played.folder, 'effects.log');
      requireOutline(await stage.outlineOf(played), [
        `user: ${PROMPT}`,
        'model: Almost',
        'model:  there.',
        'call Bash',
        'result: acted',
        'model: [scripted model] Spoken and done.',
      ]);
      const calls = stage.modelCallsOf(played, 2);
      return `${lost.host} killed, finished by ${heir.host} after ${seconds} s; ${calls}; the transcript is whole; attach in a third home saw the answer`;
    },
  };
}
