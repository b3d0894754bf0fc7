import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { medianOf } from '../src/bench/summary';
import { Backlog } from './backlog';
import { firstTurn, type FirstTurn } from './first-turn';
import type { KeyedModel } from './keyed-model';
import { atLoad, machineLoad } from './machine-load';
import { withMeasured, type MeasuredOptions } from './measured-cluster';
import { ROOT } from './shape';
import { Tenant } from './tenant';

/** What a first turn of a tenant takes, median, ms. */
export interface FairnessFigures {
  readonly queued: number;
  readonly alone: FirstTurn;
  /** While another tenant has so many messages in one session. */
  readonly besideOneSession: FirstTurn;
  /** While another tenant has so many messages in as many sessions. */
  readonly besideSessions: FirstTurn;
  /** The same, where the server serves in order. Not measured to the end when it takes too long. */
  readonly inOrder: { readonly ms: number; readonly isOver: boolean };
  /** Of the other tenant, when the last of the fair ones was measured. */
  readonly stillWaiting: number;
  readonly machineLoad: number;
}

export interface FairnessOptions extends MeasuredOptions {
  readonly queued: number;
  /** Activities that each Worker runs at a time. */
  readonly slots: number;
  readonly print: (line: string) => void;
}

const WARM_UP = 4;
const SAMPLES = 9;
/** Of the other tenant's model, over both Workers: two cores answer so many, and are not busy with it alone. With 20
 *  slots each a call takes 10 to 30 s. */
const CALLS_END_EVERY_MS = 500;
const WORKERS = 2;
/** Of the model before each reply to the tenant that is measured: a quick one. */
const THINKS_MS = 2_000;
/** The other tenant must not be done before. */
const GIVES_UP_AFTER_MS = 60_000;
const FAIRNESS = 'matching.enableFairness';

/** Brings a cluster up as it is delivered, and one without fairness, and measures the first turn of a tenant before
 *  and behind the messages of another. */
export async function measureFairness(options: FairnessOptions): Promise<FairnessFigures> {
  const { queued, print } = options;
  const fair = await withTenants(options, 'fair', true, async (tenants) => {
    const alone = await median(tenants, 'alone');
    print(`first turn of a tenant alone: ${said(alone)}${atLoad()}`);
    await queue(tenants, options, 'one session');
    const besideOneSession = await median(tenants, 'beside one session');
    print(`beside ${queued} messages in one session: ${said(besideOneSession)}${atLoad()}`);
    const backlog = await queue(tenants, options, 'sessions');
    const besideSessions = await median(tenants, 'beside sessions');
    const { waiting } = backlog;
    print(
      `beside ${queued} messages in ${queued} sessions, of which ${waiting} still wait: ${said(besideSessions)}${atLoad()}`,
    );
    if (waiting === 0) {
      throw new Error(`All ${queued} messages were answered meanwhile. Give more: --queued N.`);
    }
    return { alone, besideOneSession, besideSessions, stillWaiting: waiting };
  });
  const inOrder = await withTenants(options, 'in-order', false, async (tenants) => {
    await queue(tenants, options, 'sessions');
    return untilGivenUp(tenants);
  });
  print(
    `the same without ${FAIRNESS}: ${inOrder.isOver ? '' : 'more than '}${inOrder.ms.toFixed(0)} ms to the first request${atLoad()}`,
  );
  const { alone, besideOneSession, besideSessions } = fair;
  print(
    `fairness: ${ratio(besideOneSession, alone)} beside one session, ${ratio(besideSessions, alone)} beside ${queued} sessions`,
  );
  return { queued, ...fair, inOrder, machineLoad: machineLoad() };
}

interface Tenants {
  readonly model: KeyedModel;
  readonly red: Tenant;
  readonly blue: Tenant;
}

async function withTenants<Result>(
  options: FairnessOptions,
  name: string,
  isFair: boolean,
  act: (tenants: Tenants) => Promise<Result>,
): Promise<Result> {
  const folder = join(options.folder, name);
  mkdirSync(folder, { recursive: true });
  const of = {
    folder,
    dynamicConfigFile: writeDynamicConfig(folder, isFair),
    workerVariables: { EVERLOOP_ACTIVITY_SLOTS: String(options.slots) },
  };
  return withMeasured({ ...options, ...of }, async (parts, model) => {
    const common = { folder, host: 'worker-1', model: model.variables };
    const red = await Tenant.connect(parts, { ...common, tenant: 'red' });
    const blue = await Tenant.connect(parts, { ...common, tenant: 'blue' });
    try {
      for (let run = 0; run < WARM_UP; run += 1) await firstTurn(model, blue, `warm-up ${run}`);
      return await act({ model, red, blue });
    } finally {
      await Promise.all([red.close(), blue.close()]);
    }
  });
}

/** As it is delivered, but for the one setting. */
function writeDynamicConfig(folder: string, isFair: boolean): string {
  const delivered = readFileSync(join(ROOT, 'deploy/temporal/dynamic-config.yaml'), 'utf8');
  const settings = { ...(parse(delivered) as object), [FAIRNESS]: [{ value: isFair }] };
  const file = join(folder, 'dynamic-config.yaml');
  writeFileSync(file, stringify(settings));
  return file;
}

function queue(
  { model, red: tenant }: Tenants,
  { queued, slots }: FairnessOptions,
  into: 'sessions' | 'one session',
): Promise<Backlog> {
  const meanMs = WORKERS * slots * CALLS_END_EVERY_MS;
  const thinking = { leastMs: meanMs / 2, mostMs: meanMs * 1.5 };
  return Backlog.of(queued, { model, tenant, into, thinking });
}

async function median({ model, blue }: Tenants, when: string): Promise<FirstTurn> {
  const turns: FirstTurn[] = [];
  for (let run = 0; run < SAMPLES; run += 1) {
    turns.push(await firstTurn(model, blue, `${when}, ${run}`, { thinkMs: THINKS_MS }));
  }
  return {
    toRequestMs: medianOf(turns.map(({ toRequestMs }) => toRequestMs)),
    toResultMs: medianOf(turns.map(({ toResultMs }) => toResultMs)),
  };
}

async function untilGivenUp({ model, blue }: Tenants): Promise<FairnessFigures['inOrder']> {
  const beganAt = performance.now();
  try {
    const { toRequestMs } = await firstTurn(model, blue, 'in order', {
      withinMs: GIVES_UP_AFTER_MS,
    });
    return { ms: toRequestMs, isOver: true };
  } catch {
    return { ms: performance.now() - beganAt, isOver: false };
  }
}

const said = ({ toRequestMs, toResultMs }: FirstTurn): string =>
  `${toRequestMs.toFixed(0)} ms to its first request, ${toResultMs.toFixed(0)} ms to the second`;

const ratio = (beside: FirstTurn, alone: FirstTurn): string =>
  `${(beside.toResultMs / alone.toResultMs).toFixed(2)} times as long`;
