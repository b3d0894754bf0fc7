import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { findPostgres, initPostgres, servePostgres } from '../cluster/native-postgres';
import { freePorts } from '../cluster/ports';
import { processesIn } from '../src/bench/processes-in';
import { createSessionHost, type SessionHost } from '../src/cli/session-host';
import { AgentClient } from '../src/client/agent-client';
import { loadConfig } from '../src/config';
import { startScriptedModel, type ScriptedModel } from '../src/scripted-model/scripted-model';
import { requireCli } from '../src/server/find-cli';
import { ensureServer, stopServer } from '../src/server/local-server';
import { storeHash } from '../src/transcript/place';
import type { ListedWorker } from '../src/transcript/worker-register';
import { ATTRIBUTE_TYPES } from '../src/visibility/search-attributes';
import { answerOf, type Playing } from './answers';

const POSTGRES_FLAGS = ['-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];
/** Small, so that sessions of some turns come near it. */
export const NEAR_ROLLOVER_EVENTS = 60;

/** A Temporal server, Postgres, a model, and hosts. */
export interface World {
  readonly root: string;
  readonly temporalCli: string;
  readonly address: string;
  readonly client: Client;
  readonly model: ScriptedModel;
  readonly playing: Playing;
  /** Begins of the ids of all Workflows. */
  readonly prefix: string;
  agent(rolloverEvents: number): AgentClient;
  /** As a client of the host's. */
  host(name: string): SessionHost;
  workers(): Promise<readonly ListedWorker[]>;
  environmentOf(host: string): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** Fails: Error where there is no Postgres. */
export async function openWorld(): Promise<World> {
  const programs = findPostgres();
  if (programs === undefined) {
    throw new Error('No Postgres: install the dependencies for this platform, or Postgres itself.');
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-upgrade-')));
  const closing: (() => unknown)[] = [
    () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
    () => killCommands(join(root, 'work')),
  ];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    return await open(root, programs, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Those that a show that failed has left. */
function killCommands(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    for (const pid of processesIn(join(folder, name))) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with one that was killed before.
      }
    }
  }
}

async function open(
  root: string,
  programs: Parameters<typeof initPostgres>[1],
  closing: (() => unknown)[],
  close: () => Promise<void>,
): Promise<World> {
  const password = randomBytes(12).toString('hex');
  // Another account may have to run it, which is not let into ours.
  const database = mkdtempSync(join(tmpdir(), 'everloop-upgrade-postgres-'));
  closing.push(() => rmSync(database, { recursive: true, force: true, maxRetries: 5 }));
  const folder = await initPostgres(database, programs, {
    user: 'everloop',
    password,
    flags: POSTGRES_FLAGS,
  });
  const [port = 0] = await freePorts(1);
  const postgres = await servePostgres(folder, { port, fsync: 'off', max_connections: 200 });
  closing.push(() => postgres.end());
  const store = `postgres://everloop:${password}@127.0.0.1:${port}/postgres`;

  const own = loadConfig(process.env, homedir());
  const cacheFolder = join(own.home, 'cache', 'temporal');
  const cli = { configured: own.temporalCli, env: process.env, cacheFolder };
  const { path: temporalCli } = await requireCli(cli);
  const server = join(root, 'server');
  mkdirSync(server);
  const { address } = await ensureServer({
    home: server,
    cli,
    ports: { frontend: 0, ui: 0 },
    searchAttributes: ATTRIBUTE_TYPES,
  });
  closing.push(() => stopServer(server));

  const playing: Playing = { released: new Set(), asked: new Map() };
  const model = await startScriptedModel({
    match: 'conversation',
    keepBodies: false,
    script: (request) => answerOf(request, playing),
  });
  closing.push(() => model.close());
  const environmentOf = (host: string): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    HOME: join(root, host),
    EVERLOOP_HOME: join(root, host, 'home'),
    EVERLOOP_HOST: host,
    EVERLOOP_STORE: store,
    TEMPORAL_ADDRESS: address,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'scripted',
  });
  const host = (name: string): SessionHost =>
    createSessionHost({
      config: loadConfig(environmentOf(name), root),
      settings: { cli: null },
      version: '0.0.0',
      cli,
      environment: {},
    });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const clerk = host('clerk');
  closing.push(() => clerk.store.close());
  const { place } = clerk.store;
  return {
    root,
    temporalCli,
    address,
    client,
    model,
    playing,
    prefix: storeHash(place),
    agent: (rolloverEvents) =>
      new AgentClient(client, place, {
        idleMs: 3_600_000,
        rolloverEvents,
        maxToolConcurrency: 10,
        attributes: { user: 'operator' },
      }),
    host: (name) => ({ ...clerk, config: { ...clerk.config, workspace: name } }),
    workers: async () => (await clerk.store.workers?.list()) ?? [],
    environmentOf,
    close,
  };
}
