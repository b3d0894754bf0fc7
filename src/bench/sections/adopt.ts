import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { untilLogged } from '../bench-session';
import { sampled } from '../figure';
import { GOALS } from '../goals';
import { oneToolTurns } from '../model/one-tool-turns';
import type { Size } from '../options';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import { whileServed } from '../served';
import type { Reply } from '../../scripted-model/reply';

const PATIENCE_MS = 60_000;

interface Adopted {
  readonly killToRequest: number;
  readonly killToNextTurn: number;
}

/** A foreground session is killed; the background Worker, which lives, goes on with it. */
export async function measureAdoption(rig: Rig, size: Size): Promise<Measured> {
  const runs: Adopted[] = [];
  await whileServed(rig, async () => {
    for (let run = 0; run < size.kills; run += 1) {
      runs.push(await killAndWait(rig));
      rig.log(`adopt: ${run + 1} of ${size.kills}`);
    }
  });
  const toRequest = runs.map(({ killToRequest }) => killToRequest);
  const toNextTurn = runs.map(({ killToNextTurn }) => killToNextTurn);
  return {
    figures: [
      sampled('killed, a second Worker lives: kill → request', 'ms', toRequest, GOALS.adoptP95Ms),
      sampled('kill → request of the next turn', 'ms', toNextTurn, GOALS.adoptP95Ms),
    ],
    curves: [],
    notes: [
      'The reply stands still after its third delta when SIGKILL comes; the next request repeats it, and the one after that is the next turn.',
    ],
  };
}

async function killAndWait(rig: Rig): Promise<Adopted> {
  const { model, host } = rig;
  const [turn, end] = oneToolTurns(1, join(rig.project, 'files'));
  if (turn === undefined || end === undefined)
    throw new Error('A script of one turn has two replies.');
  const held: Reply = {
    ...turn,
    interruptions: [{ type: 'hold', name: 'until killed', afterDeltas: 3 }],
  };
  await model.play([held, turn, end]);
  const sessionId = randomUUID();
  const asked = ['-p', 'go', '--session-id', sessionId, '--dangerously-skip-permissions'];
  const doomed = rig.everloop(...asked);
  await doomed.orExplain(model.request(0, PATIENCE_MS));
  const store = await host.store.openSession(sessionId);
  if (store === undefined) throw new Error(`Session ${sessionId} is not in the store.`);
  await untilLogged(store, 'stream_started');

  const killedAtMs = await doomed.kill();
  const requested = await model.request(1, PATIENCE_MS);
  const next = await model.request(2, PATIENCE_MS);
  await untilLogged(store, 'query_ended');
  return {
    killToRequest: requested.arrivedAtMs - killedAtMs,
    killToNextTurn: next.arrivedAtMs - killedAtMs,
  };
}
