import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { untilLogged } from '../bench-session';
import { sampled } from '../figure';
import { GOALS } from '../goals';
import { oneToolTurns } from '../model/one-tool-turns';
import type { Size } from '../options';
import { pollersOf, untilPolled } from '../polling';
import type { Figure, Measured } from '../report';
import type { Rig } from '../rig';
import type { Reply } from '../../scripted-model/reply';
import type { SessionStore } from '../../transcript/store';

const PATIENCE_MS = 60_000;

/** What one kill cost. */
interface Recovery {
  /** From the kill until the replacement polls: start of a process, mostly. */
  readonly killToUp: number;
  readonly upToRequest: number;
  readonly killToRequest: number;
  /** To the request of the turn after the repeated one; null where nothing is repeated. */
  readonly upToNextTurn: number | null;
}

/** A foreground session is killed and `everloop attach` takes it over. */
export async function measureKill(rig: Rig, size: Size): Promise<Measured> {
  const inStream: Recovery[] = [];
  const inTool: Recovery[] = [];
  for (let run = 0; run < size.kills; run += 1) {
    inStream.push(await killInStream(rig));
    inTool.push(await killInTool(rig));
    rig.log(`kill: ${run + 1} of ${size.kills}`);
  }
  return {
    figures: [
      ...figuresOf('killed in mid-stream', inStream),
      ...figuresOf('killed in a Bash command', inTool),
    ],
    curves: [],
    notes: [
      '"Up": the server first lists a poller with a new identity on the Activity queue of the session (asked every 4 ms).',
      'In mid-stream: the reply stands still after its third delta when SIGKILL comes; the next request repeats it, and the one after that is the next turn.',
      'In a Bash command: it waits for a file, which is written when the replacement is up; the next request carries its result.',
    ],
  };
}

function figuresOf(name: string, recoveries: readonly Recovery[]): Figure[] {
  const nextTurns = recoveries.flatMap(({ upToNextTurn }) => upToNextTurn ?? []);
  const toRequest = recoveries.map(({ upToRequest }) => upToRequest);
  return [
    sampled(`${name}: up → request`, 'ms', toRequest, GOALS.resumeMedianMs),
    sampled(`${name}: up → request, p95`, 'ms', toRequest, GOALS.resumeP95Ms),
    ...(nextTurns.length === 0
      ? []
      : [sampled(`${name}: up → request of the next turn`, 'ms', nextTurns, GOALS.resumeMedianMs)]),
    sampled(
      `${name}: kill → up`,
      'ms',
      recoveries.map(({ killToUp }) => killToUp),
    ),
    sampled(
      `${name}: kill → request`,
      'ms',
      recoveries.map(({ killToRequest }) => killToRequest),
    ),
  ];
}

async function killInStream(rig: Rig): Promise<Recovery> {
  const [turn, end] = oneToolTurns(1, join(rig.project, 'files'));
  if (turn === undefined || end === undefined)
    throw new Error('A script of one turn has two replies.');
  const held: Reply = {
    ...turn,
    interruptions: [{ type: 'hold', name: 'until killed', afterDeltas: 3 }],
  };
  return killAndResume(rig, [held, turn, end], async (store) => {
    const { live } = await untilLogged(store, 'stream_started');
    await firstDelta(store, live);
    return () => undefined;
  });
}

async function killInTool(rig: Rig): Promise<Recovery> {
  const go = join(rig.project, `go-${randomUUID()}`);
  // It ends by itself if nobody comes: it outlives its Worker, and must not outlive the benchmark for long.
  const command = `for i in $(seq 6000); do [ -e ${go} ] && break; sleep 0.01; done`;
  const script: Reply[] = [
    { content: [{ type: 'tool_use', name: 'Bash', input: { command, description: 'Waits' } }] },
    { content: [{ type: 'text', text: 'Done.' }] },
  ];
  return killAndResume(rig, script, async (store) => {
    await untilLogged(store, 'tool_started');
    // The log says that it is about to start; the shell itself takes some milliseconds more.
    await pause(100);
    return () => writeFileSync(go, '');
  });
}

/** `reach` resolves when it is time to kill, with what is to be done when the replacement is up. */
async function killAndResume(
  rig: Rig,
  script: readonly Reply[],
  reach: (store: SessionStore) => Promise<() => void>,
): Promise<Recovery> {
  const { model, host } = rig;
  await model.play(script);
  const sessionId = randomUUID();
  const doomed = rig.everloop(
    '-p',
    'go',
    '--session-id',
    sessionId,
    '--dangerously-skip-permissions',
  );
  await model.request(0, PATIENCE_MS);
  const store = await host.store.openSession(sessionId);
  if (store === undefined) throw new Error(`Session ${sessionId} is not in the store.`);
  const onUp = await reach(store);
  const known = await pollersOf(rig, store.meta.taskQueue);

  const killedAtMs = await doomed.kill();
  const replacement = rig.everloop('attach', sessionId);
  const upAtMs = await replacement.orExplain(untilPolled(rig, store.meta.taskQueue, known));
  onUp();
  const requested = await replacement.orExplain(model.request(1, PATIENCE_MS));
  const next =
    script.length > 2 ? await replacement.orExplain(model.request(2, PATIENCE_MS)) : null;
  await replacement.succeed();
  return {
    killToUp: upAtMs - killedAtMs,
    upToRequest: requested.arrivedAtMs - upAtMs,
    killToRequest: requested.arrivedAtMs - killedAtMs,
    upToNextTurn: next === null ? null : next.arrivedAtMs - upAtMs,
  };
}

async function firstDelta(store: SessionStore, live: string): Promise<void> {
  const leave = new AbortController();
  const { done } = await store.log.followLive(live, leave.signal).next();
  leave.abort();
  if (done === true) throw new Error('The stream ended before it was killed.');
}
