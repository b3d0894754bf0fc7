import type { Random } from './random';

/** Whoever runs code in the simulation: a Worker, a client, a command. */
export interface SimProcess {
  readonly name: string;
  /** `stopped`: nothing of it happens until it is woken. `dead`: nothing ever again. */
  state: 'running' | 'stopped' | 'dead';
}

/** Something that a process is about to do. Between two steps any other process may do any number of its own. */
export interface Step {
  readonly process: SimProcess;
  readonly name: string;
  /** Does it. Returns what tells the process of it. */
  act(): () => void;
  /** Does a part of it: the process is killed in the middle. Absent: it is done or not done. */
  readonly actInPart?: () => void;
  /** Lets it fail instead. Absent: it cannot. */
  readonly fail?: () => void;
}

interface Timer {
  readonly process: SimProcess;
  readonly dueAtMs: number;
  readonly number: number;
  ring(): void;
}

/** What goes wrong at a step. */
export interface Fate {
  /** Called before each step; brings about what comes between. `over`: the step is not done, or done already.
   *  The step of a process that was stopped comes again when that is woken. */
  before(step: Step): 'goes_on' | 'over';
  /** Called behind a step that was done, of which the process does not know yet. */
  after(step: Step): void;
}

/** Virtual time that a step takes at most. */
const STEP_MS = 8;
/** Virtual time that a history takes at most. */
const LONGEST_MS = 600_000;

/** Runs processes step by step, in an order that the random numbers choose, on a virtual clock. All code of a
 *  process runs between two of its steps, and nobody else's does meanwhile: so it is known whose code runs. */
export class Scheduler {
  nowMs = Date.UTC(2026, 0, 1);
  steps = 0;
  private ready: Step[] = [];
  private timers: Timer[] = [];
  private timerNumber = 0;
  private running: SimProcess | null = null;

  constructor(
    private readonly random: Random,
    private readonly trace: (line: string) => void,
  ) {}

  /** Whose code runs now. */
  get current(): SimProcess {
    if (this.running === null) throw new Error('Code of the simulation itself has no process.');
    return this.running;
  }

  /** The next step of the process whose code runs now; never resolves when that dies before it. */
  step<T>(
    name: string,
    act: () => T,
    more: { readonly actInPart?: () => void; readonly failure?: () => Error } = {},
  ): Promise<T> {
    const process = this.current;
    return new Promise((resolve, reject) => {
      this.ready.push({
        process,
        name,
        act: () => {
          try {
            const result = act();
            return () => resolve(result);
          } catch (error) {
            return () => reject(error);
          }
        },
        ...(more.actInPart && { actInPart: more.actInPart }),
        ...(more.failure && { fail: () => reject(more.failure?.()) }),
      });
    });
  }

  /** Lets a process begin something. */
  start(process: SimProcess, name: string, begin: () => void): void {
    this.ready.push({ process, name, act: () => begin });
  }

  /** Rings once; for the process whose code runs now unless another is named. */
  ringIn(delayMs: number, ring: () => void, process: SimProcess = this.current): Timer {
    const dueAtMs = this.nowMs + Math.max(1, delayMs);
    const timer = { process, dueAtMs, number: ++this.timerNumber, ring };
    this.timers.push(timer);
    return timer;
  }

  silence(timer: Timer): void {
    this.timers = this.timers.filter((one) => one !== timer);
  }

  kill(process: SimProcess): void {
    process.state = 'dead';
    this.ready = this.ready.filter((step) => step.process !== process);
    this.timers = this.timers.filter((timer) => timer.process !== process);
  }

  /** Runs until nothing is left that could happen, or `isOver` says so.
   *  Fails: Error when it takes more steps or time than any sound history would. */
  async run(fate: Fate, isOver: () => boolean, mostSteps: number): Promise<void> {
    const latestMs = this.nowMs + LONGEST_MS;
    while (!isOver()) {
      if (this.nowMs > latestMs) throw new Error(`No end after ${LONGEST_MS / 1000} s.`);
      const step = this.takeReady();
      if (step === undefined) {
        if (!(await this.ringNext())) return;
        continue;
      }
      this.steps += 1;
      if (this.steps > mostSteps) throw new Error(`No end after ${mostSteps} steps.`);
      this.nowMs += this.random.next() * STEP_MS;
      this.running = step.process;
      if (fate.before(step) === 'goes_on') {
        this.trace(`${step.process.name}: ${step.name}`);
        const tell = step.act();
        fate.after(step);
        if (step.process.state !== 'dead') tell();
      } else if (step.process.state === 'stopped') this.ready.push(step);
      await drained();
      this.running = null;
      while (this.isDue()) await this.ringNext();
    }
  }

  private takeReady(): Step | undefined {
    const runnable = this.ready.filter(({ process }) => process.state === 'running');
    if (runnable.length === 0) return undefined;
    const step = this.random.pick(runnable);
    this.ready.splice(this.ready.indexOf(step), 1);
    return step;
  }

  private isDue(): boolean {
    const next = this.nextTimer();
    return next !== undefined && next.dueAtMs <= this.nowMs;
  }

  private nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.process.state !== 'running') continue;
      const isSooner =
        next === undefined ||
        timer.dueAtMs < next.dueAtMs ||
        (timer.dueAtMs === next.dueAtMs && timer.number < next.number);
      if (isSooner) next = timer;
    }
    return next;
  }

  /** false: there is no timer. */
  private async ringNext(): Promise<boolean> {
    const timer = this.nextTimer();
    if (timer === undefined) return false;
    this.silence(timer);
    this.nowMs = Math.max(this.nowMs, timer.dueAtMs);
    this.running = timer.process;
    timer.ring();
    await drained();
    this.running = null;
    return true;
  }
}

/** Resolves when every continuation that can run has run: Node looks at its ticks behind the promise jobs. */
function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
