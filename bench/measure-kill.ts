import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clockMs } from '../src/bench/clock';
import type { Rig } from '../src/bench/rig';
import type { Reply } from '../src/scripted-model/reply';
import type { Entrant } from './entrants/entrant';
import type { KillMeasured } from './measured';

/** How long the tool takes after its effect. */
const TOOL_S = 2;
const BEGINS_WITHIN_MS = 60_000;
/** Long enough for every time limit that an entrant has by default or in its guide, but one: 10 minutes. */
const GOES_ON_WITHIN_MS = 180_000;
const LOOK_AGAIN_MS = 10;
const SECOND = 1_000;

/** The process is killed when the tool's effect is there and the tool still runs; a new one follows at once. */
export async function measureKill(rig: Rig, entrant: Entrant): Promise<KillMeasured> {
  const name = `kill-${Date.now()}`;
  const file = join(rig.project, `${name}-${entrant.name.replace(/\W+/g, '-')}.txt`);
  const conversation = { id: `${name}-run`, calls: 2 };
  await rig.model.play(scriptOf(file));
  const doomed = await entrant.start(name);
  // Its end is not awaited: it has none.
  doomed.run(conversation).catch(() => undefined);
  await untilEffect(file);
  const killedAtMs = await doomed.kill();
  const replacement = await entrant.start(name);
  try {
    const readyS = (clockMs() - killedAtMs) / SECOND;
    const resumed = replacement.resume(conversation).catch(String);
    const next = await rig.model.request(1, GOES_ON_WITHIN_MS).catch(() => null);
    return {
      entrant: entrant.name,
      effects: effectsIn(file),
      nextRequestS: next === null ? null : (next.arrivedAtMs - killedAtMs) / SECOND,
      readyS,
      error: next === null ? null : await resumed,
    };
  } finally {
    await replacement.stop();
  }
}

const scriptOf = (file: string): readonly Reply[] => [
  {
    content: [
      {
        type: 'tool_use',
        name: 'Bash',
        input: { command: `echo done >> ${file}; sleep ${TOOL_S}` },
      },
    ],
  },
  { content: [{ type: 'text', text: 'Done.' }] },
];

async function untilEffect(file: string): Promise<void> {
  const deadline = clockMs() + BEGINS_WITHIN_MS;
  while (effectsIn(file) === 0) {
    if (clockMs() > deadline) throw new Error(`The tool has left nothing in ${file}.`);
    await pause(LOOK_AGAIN_MS);
  }
}

const effectsIn = (file: string): number =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
