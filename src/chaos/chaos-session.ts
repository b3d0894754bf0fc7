import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { processesIn } from '../bench/processes-in';
import { defaultRunOptions } from '../cli/run-options';
import { withoutRepeats } from '../client/without-repeats';
import { answerQuestion } from '../crash-test/answer-question';
import { conversationOf } from '../crash-test/conversation-of';
import type { CrashScript } from '../crash-test/crash-script';
import { countLines } from '../crash-test/line-effects';
import { toOutcome, type Outcome } from '../crash-test/outcome';
import { Workspace } from '../crash-test/workspace';
import type { TranscriptRecord } from '../transcript/record';
import type { LogEntry, QueryResult } from '../transcript/session-log';
import type { SessionStore } from '../transcript/store';
import type { Fleet } from './fleet';
import type { Rig } from './rig';
import type { Victim } from './victim';
import type { Work } from './works';

const LOOK_AGAIN_MS = 50;
/** A tree that was told to end takes a moment. */
const GONE_WITHIN_MS = 10_000;
const NO_SETTINGS = {
  model: 'claude-sonnet-4-6',
  defaultMode: 'default',
  additionalDirectories: [],
  autoCompact: true,
} as const;

/** What a session left, and how it went. */
export interface SessionEnd {
  readonly work: string;
  /** Name of its folder. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly tookMs: number;
  /** Longest time in which nothing was heard of it. */
  readonly longestSilenceMs: number;
  /** What is wrong with it that no comparison shows: processes that are left, an exit code. */
  readonly faults: readonly string[];
}

/** One session from its first prompt to its end, whoever serves it.
 *  Fails: when the signal aborts first. */
export async function runSession(
  { rig, fleet }: { readonly rig: Rig; readonly fleet: Fleet },
  work: Work & { readonly script: CrashScript },
  signal: AbortSignal,
): Promise<SessionEnd> {
  const workspace = new Workspace(work.script.files, { home: rig.home, name: rig.nextName() });
  const session = new ChaosSession(rig, fleet, work, workspace);
  try {
    return await session.run(signal);
  } catch (cause) {
    throw new Error(`${work.name} (${workspace.name}) did not end: ${session.whereItStands}`, {
      cause,
    });
  }
}

class ChaosSession {
  readonly #sessionId = randomUUID();
  readonly #startedAtMs = performance.now();
  readonly #results: QueryResult[] = [];
  /** Last record that each query told of, in the order of their beginnings. */
  readonly #queries = new Set<string>();
  #said = 0;
  #heardAtMs = performance.now();
  #longestSilenceMs = 0;
  #lastEntry = 'nothing';
  #command: Victim | null = null;

  constructor(
    private readonly rig: Rig,
    private readonly fleet: Fleet,
    private readonly work: Work & { readonly script: CrashScript },
    private readonly workspace: Workspace,
  ) {}

  get whereItStands(): string {
    const { prompts } = this.work.script;
    const silentS = ((performance.now() - this.#heardAtMs) / 1_000).toFixed(0);
    return `session ${this.#sessionId}, ${this.#results.length} of ${prompts.length} prompts answered, silent for ${silentS} s after ${this.#lastEntry}`;
  }

  async run(signal: AbortSignal): Promise<SessionEnd> {
    const session = await this.#begin(signal);
    await this.#follow(session, signal);
    await this.#untilClosed(signal);
    const tookMs = performance.now() - this.#startedAtMs;
    const faults = [...(await this.#faultsOfCommand(signal)), ...(await this.#faultsOfProcesses())];
    return {
      work: this.work.name,
      name: this.workspace.name,
      outcome: await this.#outcome(),
      tookMs,
      longestSilenceMs: this.#longestSilenceMs,
      faults,
    };
  }

  async #begin(signal: AbortSignal): Promise<SessionStore> {
    const { host } = this.rig;
    const { folder } = this.workspace;
    if (this.work.mode === 'background') {
      const session = await host.store.createSession({
        sessionId: this.#sessionId,
        cwd: folder,
        taskQueue: host.backgroundQueue,
        createdAt: new Date().toISOString(),
        fingerprint: host.fingerprint,
        persistent: true,
      });
      await this.#say(session);
      return session;
    }
    const { prompts } = this.work.script;
    const args = ['-p', prompts[0] ?? '', '--session-id', this.#sessionId];
    const { victim, expose } = this.fleet.run(
      [...args, '--model', NO_SETTINGS.model, '--dangerously-skip-permissions'],
      folder,
    );
    this.#command = victim;
    for (;;) {
      const session = await host.store.openSession(this.#sessionId);
      // Before that it is the command's: a prompt that its session has not accepted is not lost, even if the server has
      // begun the session for it. From here on nothing can lose it.
      if (session !== undefined && (await this.rig.hasAccepted(this.#sessionId))) {
        expose();
        return session;
      }
      if (victim.hasEnded) throw new Error(`the command left: ${victim.lastLines}`);
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  }

  async #say(session: SessionStore): Promise<void> {
    const { config } = this.rig.host;
    const { prompts, options } = this.work.script;
    const content = prompts[this.#said] ?? '';
    this.#said += 1;
    const message = {
      id: randomUUID(),
      content,
      submittedAt: new Date().toISOString(),
      options: {
        ...defaultRunOptions(config, NO_SETTINGS),
        asks: 'people' as const,
        ...options,
      },
    };
    await this.rig.agent.submit(session, message, { isLast: this.#said === prompts.length });
  }

  /** Says all prompts and answers all questions, until the last prompt is answered. */
  async #follow(session: SessionStore, signal: AbortSignal): Promise<void> {
    const { prompts, answers } = this.work.script;
    const { agent } = this.rig;
    for await (const { entry } of withoutRepeats(session.log.follow(null, signal))) {
      this.#hear(entry);
      if (entry.type === 'permission_requested') {
        await answerQuestion(entry, { agent, session, answers, signal });
      }
      if (entry.type !== 'query_ended') continue;
      this.#results.push(entry.result);
      if (this.#results.length === prompts.length) return;
      await this.#say(session);
    }
    signal.throwIfAborted();
  }

  #hear(entry: LogEntry): void {
    const now = performance.now();
    this.#longestSilenceMs = Math.max(this.#longestSilenceMs, now - this.#heardAtMs);
    this.#heardAtMs = now;
    this.#lastEntry = entry.type;
    this.#queries.add(entry.queryId);
  }

  async #untilClosed(signal: AbortSignal): Promise<void> {
    // The server may be away just now.
    const isOpen = (): Promise<boolean> =>
      this.rig.agent.isRunning(this.#sessionId).catch(() => true);
    while (await isOpen()) await delay(LOOK_AGAIN_MS, undefined, { signal });
  }

  /** A command that nobody killed tells the result, also if it was stopped and somebody else did the work. */
  async #faultsOfCommand(signal: AbortSignal): Promise<readonly string[]> {
    const command = this.#command;
    if (command === null) return [];
    const left = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    left.catch(() => undefined);
    const code = await Promise.race([command.ended, left]);
    if (command.wasKilled || code === 0) return [];
    return [`the command left with code ${String(code)}: ${command.lastLines}`];
  }

  async #faultsOfProcesses(): Promise<readonly string[]> {
    const deadline = performance.now() + GONE_WITHIN_MS;
    for (;;) {
      const left = processesIn(this.workspace.folder);
      if (left.length === 0) return [];
      if (performance.now() > deadline) return [`processes are left: ${left.join(', ')}`];
      await delay(LOOK_AGAIN_MS);
    }
  }

  async #outcome(): Promise<Outcome> {
    const { script } = this.work;
    const conversations: Record<string, readonly TranscriptRecord[]> = {};
    for (const [index, queryId] of [...this.#queries].entries()) {
      const { store } = this.rig.host;
      conversations[`query-${index + 1}`] = await conversationOf(store, this.#sessionId, queryId);
    }
    const files = this.workspace.files();
    const effects = Array.isArray(script.effects) ? countLines(files, script.effects) : {};
    return toOutcome(
      {
        conversations,
        // A Workflow that has closed is asked for its State by a Worker of its queue, and there may be none.
        states: {},
        results: this.#results,
        files,
        effects,
        modelCalls: this.rig.model.callsFrom(this.workspace.name),
        modelFailures: [],
      },
      this.workspace.name,
    );
  }
}
