import { join } from 'node:path';
import { oneToolTurns } from '../src/bench/model/one-tool-turns';
import { cpuMsOf, rssBytesOf } from '../src/bench/process-usage';
import type { Rig } from '../src/bench/rig';
import { medianOf, steps } from '../src/bench/summary';
import { patienceMs } from '../src/bench/turn-run';
import type { Agent, Entrant } from './entrants/entrant';
import type { TurnsMeasured } from './measured';

const WARM_UPS = 2;
const WARM_UP_TURNS = 8;
const WINDOW = 10;
const KB = 1_000;
const MB = 1_000_000;

/** So many one-tool turns in a fresh process that has done some before. */
export async function measureTurns(
  rig: Rig,
  entrant: Entrant,
  turns: number,
): Promise<TurnsMeasured> {
  const name = `turns-${turns}-${Date.now()}`;
  const agent = await entrant.start(name);
  try {
    for (let run = 0; run < WARM_UPS; run += 1) {
      await play(rig, WARM_UP_TURNS);
      const warming = agent.run({ id: `${name}-warm-${run}`, calls: WARM_UP_TURNS + 1 });
      const ended = await Promise.race([warming, expired(patienceMs(WARM_UP_TURNS))]);
      if (ended !== null) throw new Error(`${entrant.name} did not warm up: ${ended}.`);
    }
    return await measure(rig, { entrant, agent, turns, id: `${name}-run` });
  } finally {
    await agent.stop();
  }
}

/** Replies for so many turns. Usage says next to nothing, so that nobody summarises: all send the same conversation. */
const play = (rig: Rig, turns: number): Promise<void> =>
  rig.model.play(oneToolTurns(turns, join(rig.project, 'files')), { countsTokens: false });

async function measure(
  rig: Rig,
  of: {
    readonly entrant: Entrant;
    readonly agent: Agent;
    readonly turns: number;
    readonly id: string;
  },
): Promise<TurnsMeasured> {
  const { entrant, agent, turns, id } = of;
  const { model } = rig;
  const { engine } = entrant;
  await play(rig, turns);
  const mark = await engine.mark();
  const pids = await engine.pids();
  const usage = async (): Promise<readonly [number, number]> => [
    cpuMsOf(agent.pid),
    cpuOf([...new Set([...pids, ...(await engine.pids())])]),
  ];
  const before = await usage();
  const running = agent.run({ id, calls: turns + 1 });
  const ended = await Promise.race([running, expired(patienceMs(turns))]);
  const after = await usage();
  const rss = rssBytesOf(agent.pid);
  const arrivals = [...model.arrivals];
  const came = arrivals.length - 1;
  const turnMs = steps(arrivals.map(({ arrivedAtMs }) => arrivedAtMs));
  if (came < 1) throw new Error(`${entrant.name} made no turn: ${ended ?? 'nobody knows why'}.`);
  const { events, bytes, besideBytes } = await engine.stored(id, mark);
  return {
    entrant: entrant.name,
    asked: turns,
    turns: came,
    ended,
    firstTenMs: medianOf(turnMs.slice(0, WINDOW)),
    lastTenMs: medianOf(turnMs.slice(-WINDOW)),
    windows: windowsOf(turnMs),
    agentCpuMs: (after[0] - before[0]) / came,
    engineCpuMs: (after[1] - before[1]) / came,
    rssMB: rss / MB,
    events: events === null ? null : events / came,
    engineKB: bytes / KB / came,
    besideKB: besideBytes / KB / came,
    lastRequestKB: (arrivals.at(-1)?.bodyBytes ?? 0) / KB,
  };
}

/** A process that has gone counts no more. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      return sum + cpuMsOf(pid);
    } catch {
      return sum;
    }
  }, 0);
}

function windowsOf(turnMs: readonly number[]): (readonly [number, number])[] {
  const count = Math.floor(turnMs.length / WINDOW);
  return Array.from({ length: count }, (_, index) => [
    index * WINDOW + (WINDOW + 1) / 2,
    medianOf(turnMs.slice(index * WINDOW, (index + 1) * WINDOW)),
  ]);
}

const expired = (ms: number): Promise<string> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(`not at its end after ${ms / 1_000} s`), ms).unref();
  });
