import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { NativeConnection, WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from './activities/interface';
import { laterActivities } from './activities/later-activities';
import type { SettingsChoice } from './activity-surroundings';
import type { Agent } from './agent/define-agent';
import type { OwnCode } from './agent/own-code';
import type { Config } from './config';
import type { ConnectServer } from './mcp/known-server';
import { createQueueWorker, discard, pollQueue, type QueueWorker } from './queue-worker';
import { identityOf } from './recovery/worker-identity';
import { beginServing } from './serving-process';
import type { Tool } from './tools/tool';
import type { LeaseOwner, TranscriptStore } from './transcript/store';
import { ActivityGate } from './temporal/activity-gate';
import type { ServedWorkspace } from './transcript/worker-register';
import type { composeActivities } from './worker-activities';
import type { WorkerDeployment } from './worker-deployment';

/** A Worker of this process that polls one Task Queue, and others when it is told to. */
export interface RunningWorker {
  readonly owner: LeaseOwner;
  /** Resolves when the Worker has stopped; rejects when it fails. */
  readonly finished: Promise<void>;
  /** Polls one more Task Queue as the same process. */
  poll(queue: PolledQueue): Promise<QueueWorker>;
  /** Becomes the one writer of a session. Fails: `Session.ServedElsewhere` when another living process is. */
  serve(workflowId: string): Promise<void>;
  /** Gives it up again. */
  release(workflowId: string): Promise<void>;
  /** It takes nothing new but from its first Task Queue: its host is drained. */
  readonly isDrained: boolean;
  /** Whether an attempt for the session runs here. */
  runs(sessionId: string): boolean;
  /** Stops polling, lets running Activities end or go on elsewhere, gives up leases. */
  stop(): Promise<void>;
}

export interface PolledQueue {
  readonly taskQueue: string;
  /** false: Workflows only. They answer, and what they schedule waits. */
  readonly hasActivities: boolean;
  /** false: Activities only. Absent: true. */
  readonly hasWorkflows?: boolean;
}

export interface WorkerOptions {
  readonly config: Config;
  readonly connection: NativeConnection;
  readonly client: Client;
  readonly taskQueue: string;
  readonly store: TranscriptStore;
  readonly version: string;
  readonly settings: SettingsChoice;
  /** What commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Who begins sessions of schedules. Absent: the server does not know our search attributes. */
  readonly attributes?: { readonly user: string };
  /** Beside the built-in ones; absent: none. */
  readonly tools?: readonly Tool[];
  /** What messages may name in `options.agent`; absent: none. */
  readonly agents?: readonly Agent[];
  /** Code of the user's, by the folder that a session works in; absent: there is none. */
  readonly ownCode?: { of(folder: string): Promise<OwnCode> };
  /** Workflow id of a session that this Worker must be the one writer of; absent: sessions are taken as they come.
   *  It leaves the session to whoever takes it over while this process was stopped.
   *  Fails: `Session.ServedElsewhere` when another living process is. */
  readonly serves?: string;
  /** false: Workflows only. They answer, and what they schedule waits. Absent: true. */
  readonly hasActivities?: boolean;
  /** Whose background sessions it serves. Absent: those of none. */
  readonly workspace?: ServedWorkspace | null;
  /** Its host was drained, or is no more. */
  readonly onDrain?: () => void;
  /** The build that its own Task Queue is polled as. Absent: no versions are told apart. */
  readonly deployment?: WorkerDeployment | null;
  /** Another Worker of this home has died or left, and what it was doing was given up. */
  readonly onLoss?: () => void;
  /** An Activity came for a session that another living process is the writer of. */
  readonly onServedElsewhere?: (workflowId: string) => void;
  /** The bundled Workflows; absent: those of this build. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** Makes the Activities; absent: those of this build, whose modules are loaded while the Worker starts. */
  readonly compose?: ComposeActivities;
  /** Connects to MCP servers; absent: by this build, whose modules are loaded when there is a server. */
  readonly connectServer?: ConnectServer;
}

/** What one Task Queue is polled with. */
interface Polling {
  /** null: it always takes Activities. */
  readonly gated: ActivityGate | null;
  readonly deployment?: WorkerDeployment | null;
}

/** Made by `npm run build`: bundling at start would cost a second. */
export const WORKFLOW_BUNDLE = join(__dirname, 'workflow-bundle.js');

/** Composition root: config becomes parts, parts become a Worker that polls when this resolves. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, client, connection, store, version, serves } = options;
  const lost = new AbortController();
  const gate = new ActivityGate();
  const serving = await beginServing({
    home: config.home,
    host: config.host,
    workspace: options.workspace ?? null,
    store,
    client,
    onServedElsewhere(workflowId) {
      if (serves === workflowId) lost.abort();
      options.onServedElsewhere?.(workflowId);
    },
    onDrain(isDrained) {
      gate.isOpen = !isDrained;
      options.onDrain?.();
    },
  });
  const { owner, sessions, notes } = serving;
  const activities = loadedLater(() => loadActivities(options, { sessions, notes }));
  const create = (
    { taskQueue, hasActivities, hasWorkflows = true }: PolledQueue,
    { gated, deployment = null }: Polling,
  ) =>
    createQueueWorker({
      connection,
      namespace: client.options.namespace,
      dataConverter: client.options.dataConverter,
      taskQueue,
      identity: identityOf(owner),
      version,
      deployment,
      workflowBundle: hasWorkflows
        ? (options.workflowBundle ?? { codePath: WORKFLOW_BUNDLE })
        : null,
      activities: hasActivities ? activities : null,
      gate: gated,
      capacity: config,
    });
  const { taskQueue, hasActivities = true } = options;
  // Nobody drains a host where there is but one.
  const gated = store.workers === undefined ? null : gate;
  const creating = create(
    { taskQueue, hasActivities },
    // Never closed: what ends a query needs no files, and must not wait for them.
    { gated: null, deployment: options.deployment ?? null },
  );
  try {
    const [worker] = await Promise.all([
      creating,
      serves === undefined ? undefined : sessions.serve(serves),
      serving.rescue(),
    ]);
    const queue = pollQueue(worker);
    const { finished } = queue;
    lost.signal.addEventListener('abort', () => void queue.stop().catch(() => undefined));
    const unwatch = serving.watch(options.onLoss);
    return {
      owner,
      finished,
      poll: async (polled) => pollQueue(await create(polled, { gated })),
      async serve(workflowId) {
        await sessions.serve(workflowId);
      },
      release: (workflowId) => sessions.release(workflowId),
      get isDrained() {
        return !gate.isOpen;
      },
      runs: (sessionId) => serving.runs(sessionId),
      async stop() {
        unwatch();
        await queue.stop();
        await serving.leave();
      },
    };
  } catch (error) {
    await discard(creating);
    await serving.leave();
    throw error;
  }
}

/** Whether a Worker could not start because another living process serves its session. */
export function isServedElsewhere(error: unknown): boolean {
  return (
    error instanceof ApplicationFailure &&
    (error.type === 'Session.ServedElsewhere' || error.type === 'Session.OnAnotherHost')
  );
}

type ComposeActivities = typeof composeActivities;
type Shared = Parameters<ComposeActivities>[1];

async function loadActivities(options: WorkerOptions, shared: Shared): Promise<Activities> {
  const compose = options.compose ?? (await import('./worker-activities.js')).composeActivities;
  return compose(options, shared);
}

/** Begins to load at once; the first task waits for it if need be. What failed is tried again by the next task: the
 *  files of a Worker that runs for weeks may be replaced under it. */
function loadedLater(load: () => Promise<Activities>): Activities {
  let loading: Promise<Activities> | null = null;
  const loaded = (): Promise<Activities> => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
  // Whoever calls an Activity sees the failure; until then it is not unhandled.
  loaded().catch(() => undefined);
  return laterActivities(loaded);
}
