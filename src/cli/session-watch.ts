import { performance } from 'node:perf_hooks';
import type { Trouble } from '../client/session-trouble';
import { CliError } from './cli-error';

export interface WatchOptions {
  readonly sessionId: string;
  look(): Promise<Trouble | null>;
  /** A line for people. */
  tell(line: string): void;
  /** Default: two seconds. */
  readonly silentMs?: number;
}

const LIMITS = {
  usd: { limit: 'money', flag: '--usd AMOUNT' },
  tokens: { limit: 'tokens', flag: '--tokens N' },
  turns: { limit: 'turns', flag: '--turns N' },
  time: { limit: 'time', flag: '--minutes N' },
} as const;

const SILENT_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/** Looks after a session from which nothing is heard: says why it waits, or that it cannot go on. */
export class SessionWatch {
  /** Rejects when the session cannot go on. */
  readonly stuck: Promise<never>;
  readonly #options: WatchOptions;
  readonly #silentMs: number;
  readonly #told = new Set<string>();
  #fail: (error: CliError) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #heardAtMs = performance.now();
  /** Whether the server answers, as far as people were told and as the last look found. */
  #away: 'no' | 'seen_once' | 'told' = 'no';
  #wasStuck = false;
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#silentMs = options.silentMs ?? SILENT_MS;
    this.stuck = new Promise((_, reject) => (this.#fail = reject));
    this.stuck.catch(() => undefined);
    this.#lookIn(this.#silentMs);
  }

  /** Something came from the session. */
  heard(): void {
    this.#heardAtMs = performance.now();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #lookIn(ms: number): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#look(ms), ms).unref();
  }

  async #look(pauseMs: number): Promise<void> {
    if (performance.now() - this.#heardAtMs < this.#silentMs) {
      this.#lookIn(this.#silentMs);
      return;
    }
    // What keeps it from looking is not the session's trouble.
    const trouble = await this.#options.look().catch(() => null);
    if (this.#isOver) return;
    this.#report(trouble);
    // A session that works in silence is looked at less and less often.
    this.#lookIn(trouble === null ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : this.#silentMs);
  }

  #report(trouble: Trouble | null): void {
    const wasAway = this.#away;
    const wasStuck = this.#wasStuck;
    this.#wasStuck = trouble?.type === 'stuck';
    if (trouble?.type !== 'server_away') {
      this.#away = 'no';
      if (wasAway === 'told') this.#options.tell('The Temporal server answers again.');
    }
    if (trouble === null) return;
    switch (trouble.type) {
      case 'server_away':
        // It may have been this very process that was too busy to hear an answer.
        this.#away = wasAway === 'no' ? 'seen_once' : 'told';
        if (wasAway === 'seen_once') {
          this.#options.tell(
            'The Temporal server does not answer. The session waits and goes on when it is back; Ctrl-C leaves it alone.',
          );
        }
        break;
      case 'retrying':
        this.#tellOnce(
          `${trouble.activity} fails and is tried again until it works: ${trouble.message}`,
        );
        break;
      case 'held':
        this.#tellOnce(this.#holdOf(trouble));
        break;
      case 'stuck':
        // A task may fail once for reasons that pass.
        if (wasStuck) this.#fail(new CliError(this.#textOf(trouble)));
    }
  }

  #tellOnce(line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#options.tell(line);
  }

  #holdOf({ crossed }: Extract<Trouble, { type: 'held' }>): string {
    const { sessionId } = this.#options;
    if (crossed === null) {
      return `Session ${sessionId} is paused. Let it go on: everloop resume ${sessionId}`;
    }
    const { limit, flag } = LIMITS[crossed];
    return `Session ${sessionId} is over its limit of ${limit} and waits for more: everloop budget ${sessionId} ${flag}. To end it: everloop stop ${sessionId}`;
  }

  #textOf({ workflowId, message }: Extract<Trouble, { type: 'stuck' }>): string {
    const { sessionId } = this.#options;
    return (
      `Session ${sessionId} cannot go on with this build of everloop: Workflow ${workflowId} fails (${message}). ` +
      `Nothing is lost. Install the build that it began with, or a repaired one, then: everloop --resume ${sessionId}`
    );
  }
}
