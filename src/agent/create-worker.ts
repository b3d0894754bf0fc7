import { existsSync, realpathSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createSessionHost, type Connected, type SessionHost } from '../cli/session-host';
import { defaultRunOptions } from '../cli/run-options';
import { readVersion } from '../cli/version';
import { AgentClient } from '../client/agent-client';
import { loadConfig } from '../config';
import { loadSettings } from '../settings/settings';
import type { SdkConnection } from '../temporal/sdk-connection';
import type { RunOptions } from '../transcript/message';
import type { SessionStore } from '../transcript/store';
import { startWorker } from '../worker';
import { composeActivities } from '../worker-activities';
import { AgentSession } from './agent-session';
import type { Agent } from './define-agent';

export interface AgentWorkerOptions {
  readonly agents: readonly Agent[];
  /** Names the sessions that this Worker serves: a program that is started again goes on with those of its queue. */
  readonly taskQueue: string;
  /** Configuration, and what commands inherit. Omitted: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Omitted: the server that `TEMPORAL_*` names, else the local one, which is started if it does not run. */
  readonly temporal?: SdkConnection;
  /** Omitted: the Workflows of this build. */
  readonly workflowBundle?: WorkflowBundleOption;
}

/** A Worker of this process, and the way to its sessions. */
export interface AgentWorker {
  readonly taskQueue: string;
  /** Rejects when the Worker fails. */
  readonly finished: Promise<void>;
  /** Status, questions, limits, pauses and stops of any session of the home, by its id. */
  readonly client: AgentClient;
  /** A new session, or an old one of any process. `options`: what its messages run with, if they say nothing. */
  openSession(of: SessionToOpen): Promise<AgentSession>;
  /** Lets what runs end or go on elsewhere, and closes what was opened. */
  stop(): Promise<void>;
}

export interface SessionToOpen {
  /** Folder of a new session. */
  readonly cwd: string;
  /** Omitted: a new session. */
  readonly sessionId?: string;
  readonly options?: Partial<RunOptions>;
}

/** Serves sessions whose messages name one of the agents. Polls when it resolves.
 *  Fails: ConfigError, or an Error that names the server and the cure. */
export async function createWorker(options: AgentWorkerOptions): Promise<AgentWorker> {
  const { agents, taskQueue, environment = process.env } = options;
  const twice = agents.find(({ name }, index) =>
    agents.some((a, i) => i < index && a.name === name),
  );
  if (twice !== undefined) throw new Error(`There are two agents named ${twice.name}. Rename one.`);
  const config = loadConfig(environment, environment['HOME'] ?? homedir());
  const host = createSessionHost({
    config,
    settings: { cli: null },
    version: readVersion(),
    environment,
    cli: {
      configured: config.temporalCli,
      env: environment,
      cacheFolder: join(config.home, 'cache', 'temporal'),
    },
    metricsAddress: config.metricsAddress,
    hasNativeWarnings: true,
  });
  const connected = await connect(host, options.temporal);
  const worker = await startWorker({
    ...host,
    ...connected,
    taskQueue,
    agents,
    compose: composeActivities,
    workflowBundle: options.workflowBundle ?? (await workflowsOfThisBuild()),
  });
  return {
    taskQueue,
    finished: worker.finished,
    client: connected.agent,
    async openSession({ cwd, sessionId, options: chosen }) {
      const store = await findOrCreate(host, { cwd, sessionId, taskQueue });
      const { cwd: folder } = store.meta;
      const { configDir } = config;
      const settings = await loadSettings({ cwd: folder, configDir, cli: null });
      return new AgentSession(store, connected.agent, {
        with: { ...defaultRunOptions(config, settings), ...chosen },
        opens: sessionId === undefined ? 'startup' : 'resume',
      });
    },
    async stop() {
      await worker.stop();
      await host.store.close();
      await connected.close();
    },
  };
}

async function connect(host: SessionHost, temporal: SdkConnection | undefined): Promise<Connected> {
  if (temporal === undefined) return host.connect();
  const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency, tenant } = host.config;
  const limits = {
    ...{ idleMs, rolloverEvents, maxToolConcurrency },
    ...(tenant !== null && { tenant }),
  };
  const agent = new AgentClient(temporal.client, host.store.place, limits);
  // Whoever made the connection closes it.
  return { ...temporal, agent, close: () => Promise.resolve() };
}

async function findOrCreate(
  { store, fingerprint }: SessionHost,
  of: Pick<SessionToOpen, 'cwd'> & {
    readonly sessionId: string | undefined;
    readonly taskQueue: string;
  },
): Promise<SessionStore> {
  const { sessionId, taskQueue } = of;
  if (sessionId === undefined) {
    return store.createSession({
      sessionId: randomUUID(),
      cwd: realpathSync(of.cwd),
      taskQueue,
      createdAt: new Date().toISOString(),
      fingerprint,
      persistent: true,
    });
  }
  const found = await store.openSession(sessionId);
  if (found === undefined) throw new Error(`There is no session ${sessionId} at ${store.place}.`);
  if (found.meta.taskQueue === taskQueue) return found;
  throw new Error(
    `Session ${sessionId} belongs to Task Queue ${found.meta.taskQueue}, and this Worker serves ${taskQueue}. Create the Worker with that queue.`,
  );
}

/** Built with the package. From source they are bundled now, which takes a second or two. */
async function workflowsOfThisBuild(): Promise<WorkflowBundleOption> {
  const codePath = join(__dirname, '..', 'workflow-bundle.js');
  if (existsSync(codePath)) return { codePath };
  const { DefaultLogger, bundleWorkflowCode } = await import('@temporalio/worker');
  const workflowsPath = require.resolve('../workflows');
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
}
