import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig, type Config, type Secret } from '../config';
import type { ArmedFailpoints } from '../failpoint/failpoint';
import { readRunNotes } from '../recovery/run-notes';
import { startScriptedModel, type ScriptedModel } from '../scripted-model/scripted-model';
import type { CrashScript } from './crash-script';
import type { Kill } from './kill';
import { countLines } from './line-effects';
import { toOutcome, type Outcome } from './outcome';
import type { Rig } from './rig';
import { scriptedConversations } from './scripted-conversations';
import { openTrialPlace, storeOfTrial, type TrialPlace } from './trial-place';
import { TrialSession } from './trial-session';
import { lookAt, untilEvent } from './trial-workflows';
import type { WorkerPool } from './worker-pool';
import type { WorkerProcess } from './worker-process';
import { Workspace } from './workspace';

export interface TrialOptions {
  readonly rig: Rig;
  readonly workers: WorkerPool;
  readonly script: CrashScript;
  /** PATH and what else Workers inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of a Postgres; null: each run keeps its conversations in files. */
  readonly storeUrl: Secret | null;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** What one run showed. */
export interface TrialReport {
  readonly outcome: Outcome;
  /** Names of the failpoints that the first Worker reached, in order. */
  readonly failpoints: readonly string[];
  /** Number of history events by Workflow. */
  readonly events: Readonly<Record<string, number>>;
  /** false: the run was over before. */
  readonly wasKilled: boolean;
  /** From the Worker's first poll to the end. */
  readonly durationMs: number;
  /** From the death of the first Worker to the end; null: it was not killed. */
  readonly afterKillMs: number | null;
}

/** Runs a script once, in a home folder of its own; the first Worker is killed as `kill` says and replaced.
 *  Fails: Error when the run does not come to its end, with what the Worker said last. */
export async function runTrial(options: TrialOptions, kill: Kill | null): Promise<TrialReport> {
  const workspace = new Workspace(options.script.files);
  const model = await startScriptedModel({
    ...scriptedConversations(options.script),
    isStrict: true,
  });
  const trial = new Trial(options, kill, workspace, model);
  try {
    return await trial.run();
  } finally {
    await trial.close();
    await model.close();
    workspace.remove();
  }
}

class Trial {
  readonly #over = new AbortController();
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #config: Config;
  readonly #place: TrialPlace;
  readonly #crashLog: string;
  readonly #sockets = new Set<string>();
  #session: TrialSession | null = null;
  #worker: WorkerProcess | null = null;
  #killedAtMs: number | null = null;

  constructor(
    private readonly options: TrialOptions,
    private readonly kill: Kill | null,
    private readonly workspace: Workspace,
    private readonly model: ScriptedModel,
  ) {
    const { environment, storeUrl } = options;
    const { home } = workspace;
    this.#crashLog = join(home, 'failpoints.log');
    this.#environment = {
      ...environment,
      HOME: home,
      EVERLOOP_HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'scripted',
      ...(storeUrl && { EVERLOOP_STORE: storeOfTrial(storeUrl) }),
    };
    this.#config = loadConfig(this.#environment, home);
    this.#place = openTrialPlace(this.#config);
  }

  async run(): Promise<TrialReport> {
    const { rig, script } = this.options;
    const session = await TrialSession.create({
      client: rig.client,
      config: this.#config,
      store: this.#place.store,
      cwd: this.workspace.folder,
      script,
    });
    this.#session = session;
    const first = this.options.workers.take();
    const crashAt = this.kill?.type === 'failpoint' ? this.kill.at : null;
    const up = this.#serve(first, { crashAt, log: this.#crashLog });
    const serving = this.#replaceOnce(first);
    const limit = this.#limit();
    for (const promise of [serving, limit]) promise.catch(() => undefined);
    await Promise.race([up, serving, limit]);
    const upAtMs = Date.now();
    const killing = this.#killInTime(session, first);
    killing.catch(() => undefined);
    const results = await Promise.race([session.play(this.#over.signal), serving, limit]);
    const endedAtMs = Date.now();
    const { states, conversations, events } = await Promise.race([
      lookAt({ client: rig.client, store: this.#place.store }, session, this.#over.signal),
      serving,
      limit,
    ]);
    return {
      outcome: toOutcome(
        {
          conversations,
          states,
          results,
          files: this.workspace.files(),
          effects: await this.#effects(),
          modelCalls: this.model.requests.length,
          modelFailures: this.model.status().failures,
        },
        this.workspace.name,
      ),
      failpoints: this.#failpoints(),
      events,
      wasKilled: this.#killedAtMs !== null,
      durationMs: endedAtMs - upAtMs,
      afterKillMs: this.#killedAtMs === null ? null : endedAtMs - this.#killedAtMs,
    };
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#session?.terminate();
    this.#noteSockets();
    if (this.#worker !== null) await this.options.workers.giveBack(this.#worker);
    await this.#place.remove();
    for (const socket of this.#sockets) rmSync(socket, { force: true });
  }

  /** Resolves when it polls, or has ended. */
  #serve(worker: WorkerProcess, failpoints: ArmedFailpoints | null): Promise<void> {
    this.#worker = worker;
    const { taskQueue = '' } = this.#session ?? {};
    return worker.serve({ taskQueue, environment: this.#environment, failpoints });
  }

  /** Only fails: when the run takes too long, or is not wanted any more. */
  async #limit(): Promise<never> {
    const { patienceMs, signal } = this.options;
    const either = AbortSignal.any([this.#over.signal, signal]);
    await delay(patienceMs, undefined, { signal: either });
    throw new Error(`The run did not end within ${patienceMs / 1_000} s.\n${this.#lastLines()}`);
  }

  /** Only fails: with what went wrong when a Worker ends of its own accord. */
  async #replaceOnce(first: WorkerProcess): Promise<never> {
    const signal = await first.ended;
    if (!this.#over.signal.aborted && signal === 'SIGKILL' && this.kill !== null) {
      this.#killedAtMs = Date.now();
      this.#noteSockets();
      const next = this.options.workers.start();
      void this.#serve(next, null);
      await next.ended;
    }
    throw new Error(`A Worker ended that nobody had killed. It said last:\n${this.#lastLines()}`);
  }

  async #killInTime(session: TrialSession, first: WorkerProcess): Promise<void> {
    const { kill } = this;
    const { signal } = this.#over;
    if (kill?.type === 'moment') await delay(kill.afterMs, undefined, { signal });
    else if (kill?.type === 'event')
      await untilEvent(this.options.rig.client, session, kill, signal);
    else return;
    if (this.#over.signal.aborted) return;
    await first.kill();
  }

  /** A killed Worker cannot take its socket away. */
  #noteSockets(): void {
    for (const { owner } of readRunNotes(this.workspace.home)) this.#sockets.add(owner.socket);
  }

  async #effects(): Promise<Readonly<Record<string, number>>> {
    const { effects } = this.options.script;
    if (typeof effects === 'function') return effects(this.workspace.folder);
    return countLines(this.workspace.files(), effects);
  }

  #failpoints(): readonly string[] {
    if (!existsSync(this.#crashLog)) return [];
    const lines = readFileSync(this.#crashLog, 'utf8').trimEnd().split('\n');
    return lines.map((line) => line.slice(line.indexOf(' ') + 1));
  }

  #lastLines(): string {
    return this.#worker?.lastLines ?? '';
  }
}
