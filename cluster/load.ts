import type { Summary } from '../src/bench/summary';
import { beginBeside, workAlone, workTogether, type TurnCost } from './at-work';
import type { Parts } from './cluster';
import type { Crowd } from './crowd';
import { firstTurn } from './first-turn';
import { atLoad, machineLoad } from './machine-load';
import { collectedRssOf, treeBytesOf } from './memory';
import { park } from './park';

/** Bytes of memory. */
interface Memory {
  /** Of all Workers together. */
  readonly workers: number;
  readonly temporal: number;
  readonly postgres: number;
}

/** What sessions cost a cluster. */
export interface LoadFigures {
  readonly parked: number;
  readonly active: number;
  readonly parkingMs: number;
  readonly memoryBefore: Memory;
  readonly memoryParked: Memory;
  /** One session alone, beside what is parked. */
  readonly turn: TurnCost;
  /** Of the active sessions, when the model answers at once. */
  readonly turnsPerSecond: number;
  /** Beside the active sessions, when the model thinks: message to first request, ms. */
  readonly toRequest: Summary;
  readonly thinkMs: number;
  /** Of the machine, after each of the last three. */
  readonly machineLoads: readonly number[];
}

export interface LoadOptions {
  readonly parked: number;
  readonly active: number;
  /** Of each active session, when the model answers at once. */
  readonly turns: number;
  readonly print: (line: string) => void;
}

const WARM_UP = 2;
const ALONE_TURNS = 60;
/** A usual model, which two cores keep up with. */
const THINKING = { thinkMs: 10_000, turns: 6 };

/** Parks sessions, lets others work, and says what that takes. Workers must have been started with `COLLECTABLE`. */
export async function measureLoad(
  parts: Parts,
  crowd: Crowd,
  { parked, active, turns, print }: LoadOptions,
): Promise<LoadFigures> {
  await warmUp(crowd);
  const memoryBefore = await memoryOf(parts);
  const parkingMs = await park(crowd, parked);
  print(`${parked} sessions were parked within ${(parkingMs / 1_000).toFixed(0)} s${atLoad()}`);
  const memoryParked = await memoryOf(parts);
  for (const of of ['workers', 'temporal', 'postgres'] as const) {
    const [before, after] = [memoryBefore[of], memoryParked[of]];
    const grown = ((after - before) / parked) * 1_000;
    print(`${of}: ${toMb(before)} before, ${toMb(after)} then: ${toMb(grown)} for 1,000 parked`);
  }

  const turn = await workAlone(crowd, ALONE_TURNS);
  const machineLoads = [machineLoad()];
  const { ms, events, bytes } = turn;
  print(
    `one session: ${ms.toFixed(1)} ms a turn, ${events} events, ${(bytes / 1_000).toFixed(2)} KB${atLoad()}`,
  );

  const turnsPerSecond = await workTogether(crowd, active, turns);
  machineLoads.push(machineLoad());
  print(`${active} active sessions: ${turnsPerSecond.toFixed(1)} turns a second${atLoad()}`);

  const toRequest = await beginBeside(crowd, active, THINKING);
  machineLoads.push(machineLoad());
  const { median, p95, count } = toRequest;
  print(
    `message to first request, beside ${active} active sessions with a model that takes ${THINKING.thinkMs / 1_000} s: p50 ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${count}${atLoad()}`,
  );
  return {
    ...{ parked, active, parkingMs, memoryBefore, memoryParked, turn, turnsPerSecond, toRequest },
    thinkMs: THINKING.thinkMs,
    machineLoads,
  };
}

/** Each Worker has loaded what it needs, and compiled it. */
async function warmUp({ model, tenants }: Crowd): Promise<void> {
  for (const [which, tenant] of tenants.entries()) {
    for (let run = 0; run < WARM_UP; run += 1) {
      await firstTurn(model, tenant, `warm-up ${which}, ${run}`);
    }
  }
}

async function memoryOf({ pids }: Parts): Promise<Memory> {
  const workers = Object.keys(pids).filter((name) => name.startsWith('worker-'));
  const collected = await Promise.all(workers.map((name) => collectedRssOf(pids[name] ?? 0)));
  return {
    workers: collected.reduce((sum, bytes) => sum + bytes, 0),
    temporal: treeBytesOf(pids['temporal'] ?? 0),
    postgres: treeBytesOf(pids['postgres'] ?? 0),
  };
}

const toMb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
