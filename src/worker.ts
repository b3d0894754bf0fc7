import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { NativeConnection, Worker, WorkflowBundleOption } from '@temporalio/worker';
import type { Activities } from './activities/interface';
import { createServedSessions } from './activities/served-sessions';
import type { SettingsChoice } from './activity-surroundings';
import type { Agent } from './agent/define-agent';
import type { Config } from './config';
import { announce, isAlive } from './recovery/presence';
import { rescueOrphans } from './recovery/rescue';
import { createRunNotes } from './recovery/run-notes';
import { EarlyThreadWorker } from './temporal/early-thread-worker';
import type { LeaseOwner, TranscriptStore } from './transcript/store';
import type { composeActivities } from './worker-activities';

/** A Worker of this process that polls one Task Queue. */
export interface RunningWorker {
  readonly owner: LeaseOwner;
  /** Resolves when the Worker has stopped; rejects when it fails. */
  readonly finished: Promise<void>;
  /** Stops polling, lets running Activities end or go on elsewhere, gives up leases. */
  stop(): Promise<void>;
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
  /** What messages may name in `options.agent`; absent: none. */
  readonly agents?: readonly Agent[];
  /** Workflow id of a session that this Worker must be the one writer of; absent: sessions are taken as they come.
   *  Fails: `Session.ServedElsewhere` when another living process is. */
  readonly serves?: string;
  /** The bundled Workflows; absent: those of this build. */
  readonly workflowBundle?: WorkflowBundleOption;
  /** Makes the Activities; absent: those of this build, whose modules are loaded while the Worker starts. */
  readonly compose?: ComposeActivities;
}

/** Made by `npm run build`: bundling at start would cost a second. */
const BUNDLE = join(__dirname, 'workflow-bundle.js');

/** Composition root: config becomes parts, parts become a Worker that polls when this resolves. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, client, connection, taskQueue, store, version, serves } = options;
  const presence = await announce();
  const { owner } = presence;
  const notes = createRunNotes(config.home, owner);
  const sessions = createServedSessions({ store, owner, isAlive });
  const leave = async (): Promise<void> => {
    await sessions.releaseAll();
    notes.clear();
    presence.close();
  };
  const creating = EarlyThreadWorker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue,
    identity: `w-${owner.workerId.slice(0, 6)}`,
    // The default is a hash of the bundle, in every second event; a deployment's name would be longer still.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    buildId: version,
    workflowBundle: options.workflowBundle ?? { codePath: BUNDLE },
    activities: loadedLater(() => loadActivities(options, { sessions, notes })),
    // A Worker that dies leaves its tasks on its own sticky queue; nobody looks there for this long.
    stickyQueueScheduleToStartTimeout: '1s',
    // An interrupt comes in the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '300ms',
    shutdownGraceTime: '1s',
    shutdownForceTime: '10s',
  });
  try {
    const [worker] = await Promise.all([
      creating,
      serves === undefined ? undefined : sessions.serve(serves),
      rescueOrphans({ client, home: config.home, isAlive }),
    ]);
    const finished = worker.run();
    return {
      owner,
      finished,
      async stop() {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await finished;
        await leave();
      },
    };
  } catch (error) {
    await discard(creating);
    await leave();
    throw error;
  }
}

/** Whether a Worker could not start because another living process serves its session. */
export function isServedElsewhere(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === 'Session.ServedElsewhere';
}

/** A Worker that must not serve holds its connection until it has run. */
async function discard(creating: Promise<Worker>): Promise<void> {
  const worker = await creating.catch(() => null);
  if (worker === null) return;
  const run = worker.run();
  worker.shutdown();
  await run;
}

type ComposeActivities = typeof composeActivities;
type Shared = Parameters<ComposeActivities>[1];

async function loadActivities(options: WorkerOptions, shared: Shared): Promise<Activities> {
  const compose = options.compose ?? (await import('./worker-activities.js')).composeActivities;
  return compose(options, shared);
}

/** Begins to load at once; the first task waits for it if need be. */
function loadedLater(load: () => Promise<Activities>): Activities {
  const loading = load();
  // Whoever calls an Activity sees the failure; until then it is not unhandled.
  loading.catch(() => undefined);
  return {
    callModel: async (input) => (await loading).callModel(input),
    runTool: async (input) => (await loading).runTool(input),
    compact: async (input) => (await loading).compact(input),
    drainCollapses: async (messages) => (await loading).drainCollapses(messages),
    runStopHooks: async (input) => (await loading).runStopHooks(input),
    endTurn: async (input) => (await loading).endTurn(input),
    summarizeToolUse: async (input) => (await loading).summarizeToolUse(input),
    finishQuery: async (input) => (await loading).finishQuery(input),
  };
}
