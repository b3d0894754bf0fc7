import { setTimeout as delay } from 'node:timers/promises';
import { oneToolTurns } from '../src/bench/model/one-tool-turns';
import { perTurn, readRunChain } from '../src/bench/run-chain';
import { medianOf, steps, summarize, type Summary } from '../src/bench/summary';
import { eachOf, tenantOf, WITHIN_MS, type Crowd } from './crowd';
import { firstTurn } from './first-turn';

/** Of a turn, median. */
export interface TurnCost {
  readonly ms: number;
  /** Of the query's Event History. */
  readonly events: number;
  readonly bytes: number;
}

const PROBE_EVERY_MS = 500;

/** One session that works alone, through as many one-tool turns of a model that answers at once. */
export async function workAlone(crowd: Crowd, turns: number): Promise<TurnCost> {
  const { model } = crowd;
  const tenant = tenantOf(crowd, 0);
  const replies = oneToolTurns(turns, tenant.workingFolder);
  const content = model.expect('alone', { replies });
  const workflowId = await tenant.say(await tenant.begin(), content);
  await model.arrival('alone', turns, WITHIN_MS);
  const costs = perTurn(await readRunChain(tenant.client, workflowId), 'callModel');
  return {
    ms: medianOf(steps(model.arrivalsOf('alone'))),
    events: medianOf(costs.map(({ events }) => events)),
    bytes: medianOf(costs.map(({ bytes }) => bytes)),
  };
}

/** Turns a second of sessions that work at the same time, when the model answers at once. */
export async function workTogether(crowd: Crowd, count: number, turns: number): Promise<number> {
  const instants = await work(crowd, count, { name: 'together', turns, thinkMs: 0 });
  // Without the way up, when sessions begin, and the way down, when the first have ended.
  const sorted = instants.toSorted((a, b) => a - b);
  const tenth = Math.floor(sorted.length / 10);
  const middle = sorted.slice(tenth, sorted.length - tenth);
  const [first = Number.NaN, last = Number.NaN] = [middle[0], middle.at(-1)];
  return ((middle.length - 1) / (last - first)) * 1_000;
}

/** ms from the first message of a further session to its first request, while sessions work whose model thinks. */
export async function beginBeside(
  crowd: Crowd,
  count: number,
  of: { readonly turns: number; readonly thinkMs: number },
): Promise<Summary> {
  const times: number[] = [];
  const work_ = { isOver: false };
  const working = work(crowd, count, { ...of, name: 'thinking' }).finally(
    () => (work_.isOver = true),
  );
  const probe = async (): Promise<void> => {
    // They begin all at once; a message beside that would measure only it.
    await eachOf(count, count, async (index) => {
      await crowd.model.arrival(`thinking ${index}`, 0, WITHIN_MS);
    });
    for (let run = 0; !work_.isOver; run += 1) {
      const { toRequestMs } = await firstTurn(crowd.model, tenantOf(crowd, run), `probe ${run}`);
      times.push(toRequestMs);
      await delay(PROBE_EVERY_MS);
    }
  };
  await Promise.all([working, probe()]);
  return summarize(times);
}

/** Resolves with the instants of all requests but the first of each session. */
async function work(
  crowd: Crowd,
  count: number,
  of: { readonly name: string; readonly turns: number; readonly thinkMs: number },
): Promise<readonly number[]> {
  const { model, tenants } = crowd;
  const { name, turns, thinkMs } = of;
  const replies = tenants.map(({ workingFolder }) => oneToolTurns(turns, workingFolder));
  const instants: number[] = [];
  await eachOf(count, count, async (index) => {
    const tenant = tenantOf(crowd, index);
    const key = `${name} ${index}`;
    const said = { replies: replies[index % replies.length] ?? [], think: () => delay(thinkMs) };
    await tenant.say(await tenant.begin(), model.expect(key, said));
    await model.arrival(key, turns, WITHIN_MS);
    instants.push(...model.arrivalsOf(key).slice(1));
  });
  return instants;
}
