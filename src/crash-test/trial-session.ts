import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { defaultRunOptions } from '../cli/run-options';
import { AgentClient } from '../client/agent-client';
import { withoutRepeats } from '../client/without-repeats';
import type { Config } from '../config';
import { queryWorkflowId } from '../loop/workflow-id';
import { sessionQueue } from '../temporal/task-queue';
import { sessionWorkflowId } from '../transcript/place';
import type { QueryResult } from '../transcript/session-log';
import type { SessionStore, TranscriptStore } from '../transcript/store';
import { answerQuestion } from './answer-question';
import type { CrashScript } from './crash-script';

const LOOK_AGAIN_MS = 20;
const DEFAULTS = {
  model: 'claude-sonnet-4-6',
  defaultMode: 'default',
  additionalDirectories: [],
  autoCompact: true,
} as const;

interface TrialSessionOptions {
  readonly client: Client;
  readonly config: Config;
  readonly store: TranscriptStore;
  readonly cwd: string;
  readonly script: CrashScript;
}

/** The one session of a run, from its client's side. */
export class TrialSession {
  readonly workflowId: string;
  /** Workflow ids of the queries, in the order of the prompts. */
  readonly queryIds: readonly string[];
  readonly #promptIds: readonly string[];
  readonly #agent: AgentClient;

  private constructor(
    private readonly options: TrialSessionOptions,
    private readonly session: SessionStore,
  ) {
    const { client, config, store, script } = options;
    this.workflowId = sessionWorkflowId(store.place, session.meta.sessionId);
    this.#promptIds = script.prompts.map(() => randomUUID());
    this.queryIds = this.#promptIds.map((id) => queryWorkflowId(this.workflowId, id));
    this.#agent = new AgentClient(client, store.place, {
      idleMs: config.idleMs,
      rolloverEvents: config.rolloverEvents,
      maxToolConcurrency: config.maxToolUseConcurrency,
    });
  }

  static async create(options: TrialSessionOptions): Promise<TrialSession> {
    const { store, config, cwd } = options;
    const sessionId = randomUUID();
    const session = await store.createSession({
      sessionId,
      cwd,
      taskQueue: sessionQueue(store.place, sessionId),
      createdAt: new Date().toISOString(),
      fingerprint: { baseUrl: config.baseUrl, credentials: 'api_key' },
      persistent: true,
    });
    return new TrialSession(options, session);
  }

  get taskQueue(): string {
    return this.session.meta.taskQueue;
  }

  get sessionId(): string {
    return this.session.meta.sessionId;
  }

  /** Says all prompts and answers all questions. Resolves when the session has closed. */
  async play(signal: AbortSignal): Promise<readonly QueryResult[]> {
    const results: QueryResult[] = [];
    const log = withoutRepeats(this.session.log.follow(null, signal));
    await this.#say(0);
    for await (const { entry } of log) {
      if (entry.type === 'permission_requested') {
        const { answers } = this.options.script;
        await answerQuestion(entry, { agent: this.#agent, session: this.session, answers, signal });
      }
      if (entry.type !== 'query_ended' || !this.#promptIds.includes(entry.promptId)) continue;
      results.push(entry.result);
      if (results.length === this.#promptIds.length) break;
      await this.#say(results.length);
    }
    while (await this.#agent.isRunning(this.session.meta.sessionId)) {
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
    return results;
  }

  /** Nothing of it stays open on the server. Never fails. */
  async terminate(): Promise<void> {
    for (const workflowId of [this.workflowId, ...this.queryIds]) {
      const handle = this.options.client.workflow.getHandle(workflowId);
      await handle.terminate('The crash test is over.').catch(() => undefined);
    }
  }

  async #say(index: number): Promise<void> {
    const { script, config } = this.options;
    const [id = '', content = ''] = [this.#promptIds[index], script.prompts[index]];
    const isLast = index === script.prompts.length - 1;
    const options = {
      ...defaultRunOptions(config, DEFAULTS),
      asks: 'people' as const,
      ...script.options,
    };
    const submittedAt = new Date().toISOString();
    await this.#agent.submit(this.session, { id, content, submittedAt, options }, { isLast });
  }
}
