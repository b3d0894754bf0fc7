import { z } from 'zod';
import { crashScript, type CrashScript } from '../crash-test/crash-script';
import { judge, type Violation } from '../crash-test/judgement';
import type { WorkProgress } from '../progress/work-progress';
import { Random } from '../simulation/random';
import { runSession, type SessionEnd } from './chaos-session';
import { Fleet } from './fleet';
import { startRig } from './rig';
import { Trouble, type TroubleName } from './trouble';
import { WORKS, type Work } from './works';

export interface ChaosOptions {
  /** How long trouble is made. */
  readonly durationMs: number;
  /** At a time. */
  readonly sessions: number;
  readonly seed: number;
  /** Trouble is over, and a session that has not ended after this has failed. */
  readonly patienceMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends it early; what it started is ended first. */
  readonly signal: AbortSignal;
  readonly progress: WorkProgress;
}

/** JSON. */
export interface ChaosReport {
  readonly seed: number;
  readonly troubles: Readonly<Record<TroubleName, number>>;
  readonly sessions: number;
  /** Requests to the model, and how many of them an undisturbed run would not have sent. */
  readonly modelCalls: number;
  readonly repeatedModelCalls: number;
  /** Calls that were reported as unknown. */
  readonly unknown: number;
  /** Longest time without a sign of a session: of each session, sorted, in ms. */
  readonly silencesMs: readonly number[];
  /** The same undisturbed. */
  readonly undisturbedSilencesMs: readonly number[];
  readonly violations: readonly SessionViolation[];
}

export interface SessionViolation {
  readonly work: string;
  readonly name: string;
  readonly rule: Violation['rule'] | 'left behind';
  readonly detail: string;
}

type ParsedWork = Work & { readonly script: CrashScript };

/** Lets many sessions work while their processes and the server are killed and stopped, and compares each with the
 *  same work undisturbed. Fails: Error when the undisturbed work fails. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { sessions, seed, signal, progress } = options;
  const works = WORKS.map((work) => ({ ...work, script: z.parse(crashScript, work.script) }));
  const rig = await startRig(works, options.environment);
  const fleet = new Fleet(rig);
  const chaos = new Chaos(options, { rig, fleet }, works);
  try {
    progress.at(0, 'undisturbed');
    await chaos.rehearse();
    progress.say(
      `undisturbed: ${works.length} kinds of work. Now ${sessions} sessions at a time for ${options.durationMs / 1_000} s, seed ${seed}`,
    );
    return await chaos.run();
  } catch (error) {
    signal.throwIfAborted();
    progress.say(`The Workers said last:\n${fleet.lastLines}`);
    throw error;
  } finally {
    await fleet.close();
    await rig.close();
  }
}

class Chaos {
  readonly #undisturbed = new Map<string, SessionEnd>();
  readonly #ends: SessionEnd[] = [];
  readonly #violations: SessionViolation[] = [];
  readonly #random: Random;
  readonly #trouble: Trouble;
  #begun = 0;

  constructor(
    private readonly options: ChaosOptions,
    private readonly parts: Parameters<typeof runSession>[0],
    private readonly works: readonly ParsedWork[],
  ) {
    this.#random = new Random(options.seed);
    this.#trouble = new Trouble(parts.rig, parts.fleet, new Random(options.seed + 1));
  }

  /** Every kind of work once, with nothing in its way. */
  async rehearse(): Promise<void> {
    const { signal, patienceMs } = this.options;
    const limit = abortedAfter(patienceMs, signal);
    try {
      const ends = this.works.map((work) => runSession(this.parts, work, limit.signal));
      for (const end of await Promise.all(ends)) {
        if (end.faults.length > 0) throw new Error(`${end.work}: ${end.faults.join('; ')}`);
        this.#undisturbed.set(end.work, end);
      }
    } finally {
      limit.clear();
    }
  }

  async run(): Promise<ChaosReport> {
    const { durationMs, signal, sessions, patienceMs } = this.options;
    const trouble = abortedAfter(durationMs, signal);
    const ticker = this.#showTime();
    const limit = abortedAfter(durationMs + patienceMs, signal);
    const slots = Array.from({ length: sessions }, async () => {
      do await this.#runOne(limit.signal);
      while (!trouble.signal.aborted);
    });
    await Promise.all([this.#trouble.make(trouble.signal), ...slots]);
    clearInterval(ticker);
    trouble.clear();
    limit.clear();
    signal.throwIfAborted();
    return this.#report();
  }

  /** How long trouble is made is known; how long the last sessions then take is not. */
  #showTime(): NodeJS.Timeout {
    const { durationMs, progress } = this.options;
    const totalS = durationMs / 1_000;
    const startedAtMs = performance.now();
    progress.begin(totalS);
    return setInterval(() => {
      const pastS = (performance.now() - startedAtMs) / 1_000;
      const ends = pastS < totalS ? '' : '; the last sessions end';
      const counts = `${this.#ends.length} sessions ended, ${this.#trouble.total} troubles${ends}`;
      progress.at(Math.min(pastS, totalS), counts);
    }, 1_000);
  }

  /** Never fails: a session that does not end is a violation. */
  async #runOne(signal: AbortSignal): Promise<void> {
    const work = this.#nextWork();
    const before = this.#trouble.past;
    try {
      const end = await runSession(this.parts, work, signal);
      this.#ends.push(end);
      this.#judge(end, this.#trouble.total - before);
    } catch (error) {
      const detail = withCauses(error);
      this.#violate({ work: work.name, name: '', rule: 'ends', detail });
    }
  }

  /** All kinds in turn, each turn in an order of its own. */
  readonly #order: ParsedWork[] = [];
  #nextWork(): ParsedWork {
    if (this.#order.length === 0) {
      const left = [...this.works];
      while (left.length > 0) this.#order.push(...left.splice(this.#random.below(left.length), 1));
    }
    this.#begun += 1;
    const next = this.#order.pop();
    if (next === undefined) throw new Error('There is no work.');
    return next;
  }

  #judge(end: SessionEnd, troubles: number): void {
    const undisturbed = this.#undisturbed.get(end.work);
    if (undisturbed === undefined) throw new Error(`${end.work} was not rehearsed.`);
    const broken = judge({
      undisturbed: undisturbed.outcome,
      killed: end.outcome,
      mayBeUnknown: troubles > 0,
      mostRepeats: troubles,
      ignore: [],
    });
    const { work, name } = end;
    for (const violation of broken) this.#violate({ work, name, ...violation });
    for (const detail of end.faults) this.#violate({ work, name, rule: 'left behind', detail });
  }

  #violate(violation: SessionViolation): void {
    const { work, name, rule, detail } = violation;
    this.#violations.push(violation);
    this.options.progress.failed();
    this.options.progress.say(`BROKEN ${rule}: ${work} (${name}): ${detail}`);
  }

  #report(): ChaosReport {
    const { rig } = this.parts;
    const sum = (of: (end: SessionEnd) => number) =>
      this.#ends.reduce((total, end) => total + of(end), 0);
    const silences = (ends: Iterable<SessionEnd>) =>
      [...ends].map(({ longestSilenceMs }) => longestSilenceMs).sort((one, two) => one - two);
    for (const detail of rig.model.failures) {
      this.#violate({ work: 'any', name: '', rule: 'model refused', detail });
    }
    const modelCalls = sum(({ outcome }) => outcome.modelCalls);
    return {
      seed: this.options.seed,
      troubles: this.#trouble.counts,
      sessions: this.#ends.length,
      modelCalls,
      repeatedModelCalls:
        modelCalls - sum(({ work }) => this.#undisturbed.get(work)?.outcome.modelCalls ?? 0),
      unknown: sum(({ outcome }) => outcome.unknown.length),
      silencesMs: silences(this.#ends),
      undisturbedSilencesMs: silences(this.#undisturbed.values()),
      violations: this.#violations,
    };
  }
}

/** Not AbortSignal.timeout: one that only AbortSignal.any knows may be collected before it fires. */
function abortedAfter(ms: number, either: AbortSignal) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(either.reason);
  either.addEventListener('abort', abort);
  const timer = setTimeout(() => controller.abort(new Error(`It took over ${ms / 1_000} s.`)), ms);
  const clear = (): void => {
    clearTimeout(timer);
    either.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, clear };
}

function withCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${withCauses(error.cause)}`;
}
