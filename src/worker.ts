import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { createActivities } from './activities';
import { createAnthropic } from './activities/call-model/anthropic-client';
import { createServedSessions } from './activities/served-sessions';
import { createSurroundings, type SettingsChoice } from './activity-surroundings';
import type { Config } from './config';
import { announce, isAlive } from './recovery/presence';
import { rescueOrphans } from './recovery/rescue';
import { createRunNotes } from './recovery/run-notes';
import { builtInTools } from './tools/built-in-tools';
import type { LeaseOwner, TranscriptStore } from './transcript/store';

/** A Worker of this process that polls one Task Queue. */
export interface RunningWorker {
  readonly owner: LeaseOwner;
  /** Becomes the one writer of a session before the first task of it comes. Fails as `ServedSessions.serve` does. */
  serve(workflowId: string): Promise<void>;
  /** Rejects when the Worker fails. */
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
}

/** Made by `npm run build`: bundling at start would cost a second. */
const BUNDLE = join(__dirname, 'workflow-bundle.js');

/** Composition root: config becomes parts, parts become a Worker. The only file that knows every side. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, client, connection, taskQueue, store, version } = options;
  const presence = await announce();
  const { owner } = presence;
  const notes = createRunNotes(config.home, owner);
  const sessions = createServedSessions({ store, owner, isAlive });
  const activities = createActivities(
    {
      sessions,
      anthropic: createAnthropic(config),
      apiKeySource: config.apiKey === null ? 'none' : 'ANTHROPIC_API_KEY',
      tools: builtInTools({ environment: options.environment }),
      surroundings: createSurroundings(config, options.settings),
      maxRetries: config.maxRetries,
      maxOutputTokens: config.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
      version,
      now: () => new Date(),
      random: Math.random,
    },
    { client, notes },
  );
  const worker = await Worker.create({
    connection,
    namespace: client.options.namespace,
    taskQueue,
    identity: `everloop-${owner.workerId.slice(0, 6)}`,
    buildId: version,
    workflowBundle: { codePath: BUNDLE },
    activities,
    // A Worker that dies leaves its tasks on its own sticky queue; nobody looks there for this long.
    stickyQueueScheduleToStartTimeout: '1s',
    // An interrupt comes in the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '300ms',
    shutdownGraceTime: '1s',
    shutdownForceTime: '10s',
  });
  await rescueOrphans({ client, home: config.home, isAlive });
  let finished: Promise<void> | undefined;

  return {
    owner,
    serve: async (workflowId) => void (await sessions.serve(workflowId)),
    get finished() {
      return (finished ??= worker.run());
    },
    async stop() {
      if (finished !== undefined) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await finished;
      }
      await sessions.releaseAll();
      notes.clear();
      presence.close();
    },
  };
}

/** spec/loop 4.12. */
const DEFAULT_OUTPUT_TOKENS = 32_000;
