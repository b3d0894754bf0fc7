import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { asOperator, type Operator } from '../../src/cli/operator/operator';
import { create } from '../../src/cli/open-session';
import { OutputStream } from '../../src/cli/output/output-stream';
import { createSessionHost, type Connected, type SessionHost } from '../../src/cli/session-host';
import { AgentClient } from '../../src/client/agent-client';
import { loadConfig } from '../../src/config';
import type { ReplyFunction } from '../../src/scripted-model/script';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { QueryResult } from '../../src/transcript/session-log';
import type { SessionStore } from '../../src/transcript/store';
import type { ListedWorker, WorkerRegister } from '../../src/transcript/worker-register';
import type { QueryStatus } from '../../src/workflows/interface';
import { startPostgres, type TestPostgres } from '../transcript/postgres-server';
import { RUN_OPTIONS, WrittenText } from './fake-surroundings';
import { HostProcess } from './host-process';
import { cliSearch, temporalAddress } from './temporal';

/** Of waits for what takes 20 to 60 s by its own patience. */
export const PATIENCE_MS = 150_000;

/** A session of the world, in a folder of its own. */
export interface Begun {
  readonly session: SessionStore;
  readonly cwd: string;
}

interface Parts {
  readonly root: string;
  readonly postgres: TestPostgres;
  readonly model: ScriptedModel;
  readonly client: SessionHost;
  readonly connected: Connected;
}

/** Worker processes that stand for hosts, with home folders of their own, and an operator at yet another host. They
 *  share a Postgres server, the Temporal server and a disk. */
export class HostsWorld {
  readonly postgres: TestPostgres;
  readonly model: ScriptedModel;
  readonly client: SessionHost;
  readonly connected: Connected;
  readonly hosts = new Map<string, HostProcess>();
  readonly #root: string;

  private constructor(parts: Parts) {
    this.#root = parts.root;
    this.postgres = parts.postgres;
    this.model = parts.model;
    this.client = parts.client;
    this.connected = parts.connected;
  }

  static async begin(script: ReplyFunction): Promise<HostsWorld> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-hosts-')));
    const postgres = await startPostgres();
    const model = await startScriptedModel({ isStrict: true, match: 'conversation', script });
    const config = loadConfig(
      environmentOf('operator', 'operator', { root, postgres, model }),
      root,
    );
    const connection = await NativeConnection.connect({ address: temporalAddress() });
    const client = new Client({ connection });
    const host = createSessionHost({
      config,
      settings: { cli: null },
      version: '0.0.0',
      cli: cliSearch(),
      environment: {},
    });
    const agent = new AgentClient(client, host.store.place, {
      idleMs: 60_000,
      rolloverEvents: 500,
      maxToolConcurrency: 10,
      attributes: { user: 'tester' },
    });
    const connected = { connection, client, agent, close: () => connection.close() };
    return new HostsWorld({
      root,
      postgres,
      model,
      connected,
      client: { ...host, connect: async () => ({ ...connected, close: async () => undefined }) },
    });
  }

  async end(): Promise<void> {
    await Promise.all([...this.hosts.values()].map((host) => host.kill()));
    await this.connected.close();
    await this.client.store.close();
    await this.model.close();
    await this.postgres.end();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  get register(): WorkerRegister {
    const { workers } = this.client.store;
    if (workers === undefined) throw new Error('The store has no register.');
    return workers;
  }

  /** Resolves when it serves its workspace. */
  async start(name: string, workspace: string): Promise<ListedWorker> {
    mkdirSync(join(this.#root, name, 'home'), { recursive: true });
    const known = new Set((await this.register.list()).map(({ workerId }) => workerId));
    const parts = { root: this.#root, postgres: this.postgres, model: this.model };
    this.hosts.set(name, new HostProcess(environmentOf(name, workspace, parts)));
    return this.until(async () =>
      (await this.register.list()).find(
        (worker) => worker.host === name && !known.has(worker.workerId),
      ),
    );
  }

  /** `foreground`: of a command that is gone. */
  async begin(
    prompt: string,
    workspace: string,
    serve: 'background' | 'foreground' = 'background',
  ): Promise<Begun> {
    const cwd = join(this.#root, prompt.replace('.', ''));
    mkdirSync(cwd);
    const { client } = this;
    const placed = { ...client, config: { ...client.config, workspace } };
    const session = await create(placed, { serve, persistent: true }, { sessionId: null, cwd });
    await this.say(session, prompt);
    return { session, cwd };
  }

  /** Returns the id of the message. */
  async say(session: SessionStore, content: string): Promise<string> {
    const id = randomUUID();
    const message = {
      id,
      content,
      submittedAt: new Date().toISOString(),
      options: {
        ...RUN_OPTIONS,
        model: 'claude-sonnet-4-6',
        permissionMode: 'bypassPermissions' as const,
      },
    };
    // Where nobody serves its Workflows yet, it is heard later.
    await this.connected.agent.submit(session, message, { isLast: false });
    return id;
  }

  /** Of the running query; undefined: it waits for no Worker. */
  async parked({ session }: Begun): Promise<QueryStatus | undefined> {
    const status = await this.connected.agent.queryStatus(session.meta.sessionId);
    return status?.waitingFor === 'workspace' ? status : undefined;
  }

  async ownerOf({ session }: Begun): Promise<string> {
    return (await session.currentLease())?.owner.host ?? 'nobody';
  }

  /** The lines that a command with `--json` wrote. */
  async operate(act: (operator: Operator) => Promise<number>): Promise<readonly unknown[]> {
    const written = new WrittenText();
    await asOperator(this.client, new OutputStream(written.stream), act);
    const lines = written.text.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** Of the message; of the first one, if none is named. */
  async resultOf({ session }: Begun, promptId?: string): Promise<QueryResult> {
    for await (const { entry } of session.log.follow(null, AbortSignal.timeout(PATIENCE_MS))) {
      if (entry.type !== 'query_ended') continue;
      if (promptId === undefined || entry.promptId === promptId) return entry.result;
    }
    throw new Error(`Session ${session.meta.sessionId} did not end within ${PATIENCE_MS} ms.`);
  }

  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await pause(100);
    }
    const said = [...this.hosts].map(([name, host]) => `${name}: ${host.said}`).join('\n');
    throw new Error(`It did not come within ${PATIENCE_MS} ms. The hosts said: ${said}`);
  }
}

/** Lets its held command go on. */
export const go = ({ cwd }: Begun): void => writeFileSync(join(cwd, 'go'), '');

const environmentOf = (
  host: string,
  workspace: string,
  { root, postgres, model }: Pick<Parts, 'root' | 'postgres' | 'model'>,
): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: join(root, host),
  EVERLOOP_HOME: join(root, host, 'home'),
  EVERLOOP_HOST: host,
  EVERLOOP_WORKSPACE: workspace,
  EVERLOOP_STORE: postgres.url,
  TEMPORAL_ADDRESS: temporalAddress(),
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: 'key',
});
