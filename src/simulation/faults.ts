import type { Random } from './random';
import type { Fate, SimProcess, Step } from './scheduler';

/** What faults do to the simulated machine. */
export interface FaultyMachine {
  readonly random: Random;
  isWorker(process: SimProcess): boolean;
  /** Whether it may be killed alone. */
  isMortal(process: SimProcess): boolean;
  kill(process: SimProcess): void;
  /** As by SIGSTOP: everybody takes it for dead, and later it goes on where it was. */
  stop(process: SimProcess): void;
  leave(process: SimProcess): void;
  cutPower(): void;
}

export const FAULTS = ['kill', 'stop', 'leave', 'power cut', 'disk error'] as const;
export type Fault = (typeof FAULTS)[number];

/** How often each kind comes, among those that come. */
const DRAWN: readonly Fault[] = [
  ...(['kill', 'kill', 'kill', 'kill', 'stop', 'stop'] as const),
  ...(['leave', 'power cut', 'power cut', 'disk error', 'disk error'] as const),
];
const MOST_FAULTS = 6;
/** Of a step, as long as there are faults left: several hundred steps make a history. */
const PROBABILITY = 1 / 90;

/** Strikes now and then, wherever a process is. */
export class Faults implements Fate {
  readonly struck = new Map<Fault, number>();
  private left: number;
  private failing = 0;
  private killsAfter: SimProcess | null = null;

  constructor(
    private readonly machine: FaultyMachine,
    private readonly trace: (line: string) => void,
  ) {
    this.left = machine.random.below(MOST_FAULTS);
  }

  /** From here on nothing goes wrong any more. */
  end(): void {
    this.left = 0;
    this.failing = 0;
  }

  count(fault: Fault): number {
    return this.struck.get(fault) ?? 0;
  }

  before(step: Step): 'goes_on' | 'over' {
    const { random } = this.machine;
    if (this.failing > 0 && step.fail !== undefined) {
      this.failing -= 1;
      return this.fail(step, step.fail);
    }
    if (this.left === 0 || !random.chance(PROBABILITY)) return 'goes_on';
    return this.strike(step, random.pick(DRAWN));
  }

  after({ process }: Step): void {
    if (this.killsAfter !== process) return;
    this.killsAfter = null;
    this.machine.kill(process);
  }

  private strike(step: Step, fault: Fault): 'goes_on' | 'over' {
    const { machine } = this;
    const { process } = step;
    switch (fault) {
      case 'kill':
        if (!machine.isMortal(process)) return 'goes_on';
        this.note(fault, step);
        return this.kill(step);
      case 'stop':
        if (!machine.isWorker(process)) return 'goes_on';
        this.note(fault, step);
        machine.stop(process);
        return 'over';
      case 'leave':
        if (!machine.isWorker(process)) return 'goes_on';
        this.note(fault, step);
        machine.leave(process);
        return 'goes_on';
      case 'power cut':
        this.note(fault, step);
        machine.cutPower();
        return 'over';
      case 'disk error':
        if (step.fail === undefined) return 'goes_on';
        this.note(fault, step);
        // A disk that is full stays so for a while.
        this.failing = machine.random.below(4);
        return this.fail(step, step.fail);
    }
  }

  private kill(step: Step): 'goes_on' | 'over' {
    const { machine } = this;
    const moment = machine.random.below(3);
    if (moment === 0) {
      this.killsAfter = step.process;
      return 'goes_on';
    }
    if (moment === 1) step.actInPart?.();
    machine.kill(step.process);
    return 'over';
  }

  private fail(step: Step, fail: () => void): 'over' {
    this.trace(`${step.process.name}: ${step.name} FAILS`);
    fail();
    return 'over';
  }

  private note(fault: Fault, { process, name }: Step): void {
    this.left -= 1;
    this.struck.set(fault, this.count(fault) + 1);
    this.trace(`*** ${fault} at ${process.name}: ${name}`);
  }
}
