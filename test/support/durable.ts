import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { AgentClient, type SessionLimits } from '../../src/client/agent-client';
import { withoutRepeats } from '../../src/client/without-repeats';
import { loadConfig, type Config } from '../../src/config';
import { openKeyRing } from '../../src/encryption/configured-keys';
import { encryptedConverter } from '../../src/encryption/data-converter';
import { openStore } from '../../src/open-store';
import { queryWorkflowId } from '../../src/loop/workflow-id';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { Script } from '../../src/scripted-model/script';
import { sessionQueue } from '../../src/temporal/task-queue';
import { ServerConnection } from '../../src/mcp/server-connection';
import type { RunOptions } from '../../src/transcript/message';
import { sessionWorkflowId } from '../../src/transcript/place';
import type { TranscriptRecord } from '../../src/transcript/record';
import type { LogEntry, QueryResult } from '../../src/transcript/session-log';
import type { SessionStore, TranscriptStore } from '../../src/transcript/store';
import { startWorker, type RunningWorker } from '../../src/worker';
import { composeActivities } from '../../src/worker-activities';
import type { SessionStatus } from '../../src/workflows/interface';
import { RUN_OPTIONS } from './fake-surroundings';
import './kept-threads';
import { whenStatus } from './query-status';
import { installQuietRuntime } from './quiet-runtime';
import { temporalAddress } from './temporal';
import { workflowBundle } from './workflow-bundle';

export interface DurableOptions extends Script, Partial<SessionLimits> {
  /** Default: a folder of the temporary home. Must exist. */
  readonly project?: string;
  /** Where the home lies. Default: the system's temporary folder. */
  readonly disk?: string;
  /** Default: true. False: the test starts Workers itself. */
  readonly isServed?: boolean;
  /** Configuration of the Worker beside what all have. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of Postgres. Default: files in the home. */
  readonly storeUrl?: string;
  /** Default: true. False: as where the server does not know our search attributes. */
  readonly hasAttributes?: boolean;
}

/** Runs `act` with one session on the shared Temporal server: store in a home of its own, scripted model,
 *  and a Worker of this process on a queue of its own. Everything is closed whatever happens. */
export async function withDurable(
  options: DurableOptions,
  act: (durable: Durable) => Promise<void>,
): Promise<void> {
  const durable = await startDurable(options);
  try {
    await act(durable);
  } finally {
    await durable.close();
  }
}

export async function startDurable(options: DurableOptions): Promise<Durable> {
  const home = realpathSync(mkdtempSync(join(options.disk ?? tmpdir(), 'everloop-durable-')));
  const project = options.project ?? join(home, 'project');
  mkdirSync(project, { recursive: true });
  const model = await startScriptedModel({ isStrict: true, ...options });
  const config = loadConfig(
    {
      EVERLOOP_HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'test-key',
      EVERLOOP_STORE: options.storeUrl,
      ...options.env,
    },
    home,
  );
  const address = temporalAddress();
  installQuietRuntime();
  const connection = await NativeConnection.connect({ address });
  const store = openStore(config);
  const sessionId = randomUUID();
  const session = await store.createSession({
    sessionId,
    cwd: realpathSync(project),
    taskQueue: sessionQueue(store.place, sessionId),
    createdAt: new Date().toISOString(),
    fingerprint: { baseUrl: model.url, credentials: 'api_key' },
    persistent: true,
  });
  const durable = new Durable({
    home,
    project,
    config,
    model,
    address,
    connection,
    store,
    session,
    options,
  });
  if (options.isServed ?? true) await durable.serve();
  return durable;
}

const OPTIONS: RunOptions = {
  ...RUN_OPTIONS,
  model: 'claude-sonnet-4-6',
  permissionMode: 'bypassPermissions',
};

interface Parts {
  readonly home: string;
  readonly project: string;
  readonly config: Config;
  readonly model: ScriptedModel;
  readonly address: string;
  readonly connection: NativeConnection;
  readonly store: TranscriptStore;
  readonly session: SessionStore;
  readonly options: DurableOptions;
}

export interface Message {
  readonly id?: string;
  readonly isLast?: boolean;
  readonly options?: Partial<RunOptions>;
}

interface ServeOptions {
  readonly codePath?: string;
  readonly compose?: typeof composeActivities;
}

/** One session from its client's side, with what a test wants to look at. */
export class Durable {
  readonly home: string;
  readonly project: string;
  readonly config: Config;
  readonly model: ScriptedModel;
  readonly address: string;
  readonly store: TranscriptStore;
  readonly session: SessionStore;
  readonly client: Client;
  readonly agent: AgentClient;
  readonly sessionId: string;
  /** What observers were told, in order. */
  readonly entries: LogEntry[] = [];
  readonly #connection: NativeConnection;
  readonly #told = new EventEmitter();
  readonly #following = new AbortController();
  readonly #followed: Promise<void>;
  readonly #messageIds: string[] = [];
  #worker: RunningWorker | null = null;

  constructor({ connection, options, ...parts }: Parts) {
    this.home = parts.home;
    this.project = parts.project;
    this.config = parts.config;
    this.model = parts.model;
    this.address = parts.address;
    this.store = parts.store;
    this.session = parts.session;
    this.sessionId = parts.session.meta.sessionId;
    this.#connection = connection;
    const dataConverter = encryptedConverter(openKeyRing(parts.config));
    this.client = new Client({ connection, dataConverter });
    this.agent = new AgentClient(this.client, this.store.place, {
      idleMs: options.idleMs ?? 60_000,
      rolloverEvents: options.rolloverEvents ?? 500,
      maxToolConcurrency: options.maxToolConcurrency ?? 10,
      ...(options.gates !== undefined && { gates: options.gates }),
      ...((options.hasAttributes ?? true) && {
        attributes: options.attributes ?? { user: 'tester' },
      }),
      ...(options.tenant !== undefined && { tenant: options.tenant }),
      ...(options.steering !== undefined && { steering: options.steering }),
    });
    this.#told.setMaxListeners(0);
    this.#followed = this.#follow();
  }

  /** Starts a Worker of this process for the session. `codePath`: bundled Workflows of another build. */
  async serve({ codePath, compose = composeActivities }: ServeOptions = {}): Promise<void> {
    const worker = await startWorker({
      config: this.config,
      connection: this.#connection,
      client: this.client,
      taskQueue: this.session.meta.taskQueue,
      store: this.store,
      version: '0.0.0',
      settings: { cli: null },
      environment: { PATH: process.env['PATH'] },
      workflowBundle: { codePath: codePath ?? (await workflowBundle()) },
      compose,
      connectServer: (options) => ServerConnection.open(options),
    });
    worker.finished.catch((error: unknown) => this.#told.emit('error', error));
    this.#worker = worker;
  }

  /** Stops that Worker in order: what runs goes on with the next one. */
  async stopServing(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = null;
  }

  /** Hands a message over; resolves with its id when the session has accepted it. */
  async say(content: string, message: Message = {}): Promise<string> {
    const { id = randomUUID(), isLast = false, options } = message;
    this.#messageIds.push(id);
    const said = {
      id,
      content,
      submittedAt: new Date().toISOString(),
      options: { ...OPTIONS, ...options },
    };
    await this.agent.submit(this.session, said, { isLast });
    return id;
  }

  /** Says it while a query runs; resolves when that query has heard of it, which is a Signal later. */
  async steer(promptId: string, content: string, message: Message = {}): Promise<string> {
    const id = await this.say(content, message);
    const query = this.queryHandle(promptId);
    await whenStatus(query, ({ waiting }) => waiting.includes(id));
    return id;
  }

  /** Says it and waits for its result. */
  async ask(content: string, message: Message = {}): Promise<QueryResult> {
    return this.resultOf(await this.say(content, message));
  }

  async resultOf(messageId: string): Promise<QueryResult> {
    const ended = await this.told(
      (entry) => entry.type === 'query_ended' && entry.promptId === messageId,
    );
    if (ended.type !== 'query_ended') throw new Error('unreachable');
    return ended.result;
  }

  /** The first entry that fits, as soon as it is there; the test's own time limit is the deadline. */
  async told(fits: (entry: LogEntry) => boolean): Promise<LogEntry> {
    for (;;) {
      const found = this.entries.find(fits);
      if (found) return found;
      await new Promise((resolve, reject) => {
        this.#told.once('entry', resolve);
        this.#told.once('error', reject);
      });
    }
  }

  /** Status of the session as soon as no query runs: it hears of the end a moment after the observers do. */
  async idle(): Promise<SessionStatus> {
    for (;;) {
      const status = await this.agent.status(this.sessionId);
      if (status === undefined) throw new Error('The session does not run.');
      if (status.status === 'idle') return status;
    }
  }

  get sessionWorkflowId(): string {
    return sessionWorkflowId(this.store.place, this.sessionId);
  }

  get sessionHandle(): WorkflowHandle {
    return this.client.workflow.getHandle(this.sessionWorkflowId);
  }

  queryHandle(messageId: string): WorkflowHandle {
    return this.client.workflow.getHandle(queryWorkflowId(this.sessionWorkflowId, messageId));
  }

  /** Messages of each request, in order of arrival. */
  get requestMessages(): readonly unknown[] {
    return this.model.requests.map(({ body }) => body.messages);
  }

  /** The conversation as stored, oldest first. */
  async transcript(): Promise<readonly TranscriptRecord[]> {
    const leaf = await this.session.lastLeaf();
    return leaf === null ? [] : this.session.chain(leaf);
  }

  /** Resolves when the Workflow's last run has closed, however it did. */
  async closed(handle: WorkflowHandle): Promise<string> {
    await handle.result().catch(() => undefined);
    return (await handle.describe()).status.name;
  }

  async close(): Promise<void> {
    const queries = this.#messageIds.map((id) => this.queryHandle(id));
    for (const handle of [this.sessionHandle, ...queries]) {
      await handle.terminate('The test is over.').catch(() => undefined);
    }
    this.#following.abort();
    await this.#followed;
    await this.stopServing();
    await this.#connection.close();
    await this.model.close();
    await this.store.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  async #follow(): Promise<void> {
    const log = this.session.log.follow(null, this.#following.signal);
    for await (const { entry } of withoutRepeats(log)) {
      this.entries.push(entry);
      this.#told.emit('entry');
    }
  }
}
