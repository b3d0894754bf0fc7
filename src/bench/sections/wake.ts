import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sampled, single } from '../figure';
import { GOALS } from '../goals';
import { oneToolTurns } from '../model/one-tool-turns';
import type { Size } from '../options';
import { pollersOf, untilPolled } from '../polling';
import type { Measured } from '../report';
import type { Rig } from '../rig';
import { sessionQueue } from '../../temporal/task-queue';
import { medianOf } from '../summary';
import { patienceMs } from '../turn-run';

interface Wake {
  readonly startToRequest: number;
  readonly upToRequest: number;
  readonly bodyBytes: number;
}

/** A new message for a session of many turns, in a fresh process, beside the first message of a fresh session. */
export async function measureWake(rig: Rig, size: Size): Promise<Measured> {
  const sessionId = randomUUID();
  await rig.model.play(oneToolTurns(size.wakeTurns, join(rig.project, 'files')));
  rig.log(`wake: a session of ${size.wakeTurns} turns is made`);
  const made = rig.everloop('-p', 'Read on.', '--session-id', sessionId);
  await rig.model.request(size.wakeTurns, patienceMs(size.wakeTurns));
  await made.succeed();

  const [fresh, old]: [Wake[], Wake[]] = [[], []];
  for (let run = 0; run < size.wakes; run += 1) {
    const freshId = randomUUID();
    fresh.push(await wake(rig, freshId, ['--session-id', freshId]));
    old.push(await wake(rig, sessionId, ['--resume', sessionId]));
  }
  const up = (wakes: readonly Wake[]): number[] => wakes.map(({ upToRequest }) => upToRequest);
  const n = `${size.wakeTurns} turns`;
  return {
    figures: [
      sampled(`${n}: up → request`, 'ms', up(old), GOALS.wakeMs),
      sampled(
        `${n}: process started → request`,
        'ms',
        old.map(({ startToRequest }) => startToRequest),
      ),
      sampled('fresh session: up → request', 'ms', up(fresh)),
      sampled(
        'fresh session: process started → request',
        'ms',
        fresh.map(({ startToRequest }) => startToRequest),
      ),
      single(`${n}: more than a fresh session`, 'ms', medianOf(up(old)) - medianOf(up(fresh))),
      sampled(
        `${n}: request`,
        'KB',
        old.map(({ bodyBytes }) => bodyBytes / 1_000),
      ),
    ],
    curves: [],
    notes: [
      '`everloop -p again --resume ID` in a fresh process. "Up": the server first lists the new poller on the Activity queue of the session.',
    ],
  };
}

async function wake(rig: Rig, sessionId: string, flags: readonly string[]): Promise<Wake> {
  const { model, host } = rig;
  await model.play([{ content: [{ type: 'text', text: 'Here I am.' }] }]);
  const queue = sessionQueue(host.store.place, sessionId);
  const known = await pollersOf(rig, queue);
  const command = rig.everloop('-p', 'again', ...flags);
  const upAtMs = await untilPolled(rig, queue, known);
  const { arrivedAtMs, bodyBytes } = await model.request(0, patienceMs(0));
  await command.succeed();
  return {
    startToRequest: arrivedAtMs - command.startedAtMs,
    upToRequest: arrivedAtMs - upAtMs,
    bodyBytes,
  };
}
