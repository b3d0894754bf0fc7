import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { AgentClient } from '../client/agent-client';
import { withoutRepeats } from '../client/without-repeats';
import { defaultRunOptions } from '../cli/run-options';
import { createSessionHost } from '../cli/session-host';
import { readVersion } from '../cli/version';
import { loadConfig } from '../config';
import { queryWorkflowId } from '../loop/workflow-id';
import type { FollowedEntry } from '../transcript/session-log';
import { sessionWorkflowId } from '../transcript/place';
import { until } from './until';

/** The demo's one session, on the queue that `everloop worker` serves. */
export interface DemoSession {
  /** The loop at work. */
  readonly query: WorkflowHandle;
  /** Resolves when a Worker has accepted the prompt. */
  submit(prompt: string): Promise<void>;
  /** What happens, from the beginning. */
  follow(signal: AbortSignal): AsyncGenerator<FollowedEntry, void>;
  /** Resolves when nothing of it is open on the server. */
  closed(): Promise<void>;
  /** Nobody will serve it any more: nothing of it stays open on the server. Never fails. */
  terminate(): Promise<void>;
}

/** What the agent may do in the scratch folder, beside reading and editing. */
const ALLOWED_COMMANDS = ['Bash(node:*)', 'Bash(sleep:*)', 'Bash(cd:*)'];

/** `environment`: that of the Workers. Who has the same one finds the same session. */
export async function createDemoSession(
  client: Client,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<DemoSession> {
  const config = loadConfig(environment, homedir());
  const host = createSessionHost({
    config,
    environment,
    settings: {},
    version: readVersion(),
    cli: { configured: null, env: environment, cacheFolder: config.home },
  });
  const { store, fingerprint, backgroundQueue: taskQueue } = host;
  const sessionId = randomUUID();
  const promptId = randomUUID();
  const session = await store.createSession({
    sessionId,
    cwd: folder,
    taskQueue,
    createdAt: new Date().toISOString(),
    fingerprint,
    persistent: true,
  });
  const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency } = config;
  const agent = new AgentClient(client, store.place, {
    idleMs,
    rolloverEvents,
    maxToolConcurrency,
  });
  const workflowId = sessionWorkflowId(store.place, sessionId);
  const query = client.workflow.getHandle(queryWorkflowId(workflowId, promptId));
  let submitted: Promise<void> | undefined;
  const terminateBoth = async (): Promise<void> => {
    for (const handle of [client.workflow.getHandle(workflowId), query]) {
      await handle.terminate('The demo was ended.').catch(() => undefined);
    }
  };

  return {
    query,
    submit(prompt) {
      submitted = agent.submit(
        session,
        {
          id: promptId,
          content: prompt,
          submittedAt: new Date().toISOString(),
          options: {
            ...defaultRunOptions(config, NO_SETTINGS),
            permissionMode: 'acceptEdits',
            allowedTools: ALLOWED_COMMANDS,
          },
        },
        { isLast: true },
      );
      return submitted;
    },
    follow: (signal) => withoutRepeats(session.log.follow(null, signal)),
    async closed() {
      await query.result();
      await until('the session closes', async () =>
        (await agent.isRunning(sessionId)) ? undefined : true,
      );
    },
    async terminate() {
      // A submit under way starts its session anew, a few times: it must have given up first.
      const settled = Promise.allSettled([submitted]).then(() => true);
      for (let isSettled = false, left = MOST_LOOKS; !isSettled && left > 0; left -= 1) {
        await terminateBoth();
        isSettled = await Promise.race([settled, delay(LOOK_AGAIN_MS, false)]);
      }
      await terminateBoth();
    },
  };
}

const LOOK_AGAIN_MS = 200;
const MOST_LOOKS = 25;
const NO_SETTINGS = {
  model: null,
  defaultMode: null,
  additionalDirectories: [],
  autoCompact: true,
};
