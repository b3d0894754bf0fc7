import childProcess from 'node:child_process';
import timersPromises from 'node:timers/promises';
import { useDisk, type Disk } from '../disk/disk';
import type { Scheduler } from './scheduler';

/** What code of the product takes from Node besides its memory: time, files and processes. */
export interface VirtualWorld {
  readonly scheduler: Scheduler;
  readonly disk: Disk;
  /** In the place of `child_process.spawn`. */
  readonly spawn: (...args: never[]) => unknown;
}

/** Puts the simulated world in the place of the real one. Returns how to put that back. */
export function enter({ scheduler, disk, spawn }: VirtualWorld): () => void {
  const leaveDisk = useDisk(disk);
  const RealDate = Date;
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const { spawn: realSpawn } = childProcess;
  const { setTimeout: realDelay } = timersPromises;
  class VirtualDate extends RealDate {
    constructor(of: number | string | Date = scheduler.nowMs) {
      super(of);
    }

    static override now(): number {
      return scheduler.nowMs;
    }
  }
  const ring = (act: () => void, delayMs = 0) => new VirtualTimer(scheduler, act, delayMs);
  const silence = (timer: unknown) => timer instanceof VirtualTimer && timer.close();
  put(globalThis, {
    Date: VirtualDate,
    setTimeout: ring,
    clearTimeout: silence,
    // What the product repeats in the background makes no difference here.
    setInterval: () => ({ unref: () => undefined }),
    clearInterval: () => undefined,
  });
  put(timersPromises, {
    setTimeout: (delayMs: number) => new Promise<void>((resolve) => ring(resolve, delayMs)),
  });
  put(childProcess, { spawn });
  // Missing files are nothing special, and a stack is what most of the cost of an error is.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return () => {
    leaveDisk();
    Error.stackTraceLimit = stackTraceLimit;
    put(globalThis, { Date: RealDate, setTimeout, clearTimeout, setInterval, clearInterval });
    put(timersPromises, { setTimeout: realDelay });
    put(childProcess, { spawn: realSpawn });
  };
}

/** A timer as far as the product uses one. */
class VirtualTimer {
  private timer;
  private readonly process;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly act: () => void,
    private readonly delayMs: number,
  ) {
    this.process = scheduler.current;
    this.timer = scheduler.ringIn(delayMs, act, this.process);
  }

  refresh(): this {
    this.close();
    this.timer = this.scheduler.ringIn(this.delayMs, this.act, this.process);
    return this;
  }

  unref(): this {
    return this;
  }

  close(): void {
    this.scheduler.silence(this.timer);
  }
}

/** Modules of Node are objects like any other, and compiled code looks their functions up at each call. */
function put(into: object, what: object): void {
  for (const [name, value] of Object.entries(what)) Reflect.set(into, name, value);
}
