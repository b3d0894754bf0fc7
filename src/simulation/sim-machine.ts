import type { ActivityDeps } from '../activities/deps';
import type { Tool } from '../tools/tool';
import { Faults, type FaultyMachine } from './faults';
import { Random } from './random';
import { Scheduler, type SimProcess } from './scheduler';
import { SimCommands } from './sim-commands';
import { SimDisk } from './sim-disk';
import { SimFileSystem } from './sim-file-system';
import { USER, WORKSPACE } from './sim-store';
import { composeDeps, simulatedTools, type SimWorker } from './sim-worker';

/** What is left of work that was given to a process. */
export type Ending<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'lost' };

/** After so long the server gives up an attempt of which it hears nothing. */
const SILENCE_MS = 3_000;
const RESTART_MS = 150;
const LONGEST_STOP_MS = 12_000;

export interface MachineOptions {
  readonly seed: number;
  readonly trace: (line: string) => void;
  readonly onEffect: (call: string) => void;
  /** A mistake that the simulation has to find: see `SimDisk`. */
  readonly plant: 'early_report' | null;
}

/** One machine with its disk and its processes, and a server elsewhere that never fails. */
export class SimMachine implements FaultyMachine {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly files: SimFileSystem;
  readonly commands: SimCommands;
  readonly disk: SimDisk;
  readonly faults: Faults;
  /** Temporal's side, and whoever else is not on the machine. */
  readonly server: SimProcess = { name: 'server', state: 'running' };
  private readonly tools: readonly Tool[];
  private workers: SimWorker[] = [];
  private processes: SimProcess[] = [];
  private count = 0;
  private readonly onLost = new Map<SimProcess, Set<() => void>>();

  constructor({ seed, trace, onEffect, plant }: MachineOptions) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random, trace);
    const { random, scheduler } = this;
    this.files = new SimFileSystem(() => scheduler.nowMs);
    const { files } = this;
    this.commands = new SimCommands({ files, scheduler, random, onEffect });
    this.disk = new SimDisk({ files, scheduler, random, procfs: this.commands.procfs, plant });
    this.faults = new Faults(this, trace);
    this.tools = simulatedTools(scheduler, onEffect);
    for (const folder of [USER, WORKSPACE]) files.makeFolder(folder);
    files.syncAll();
    // They are older than anything that happens.
    scheduler.nowMs += 3_600_000;
  }

  startWorker(): void {
    const process = this.newProcess('worker');
    const worker: SimWorker = { process, deps: null, isLeaving: false, attempts: 0 };
    this.workers.push(worker);
    this.scheduler.start(process, 'starts', () => {
      const { scheduler, tools } = this;
      const isAlive = (name: string) => this.isRunning(name);
      worker.deps = composeDeps({ process, scheduler, tools, isAlive });
    });
  }

  /** A process that serves nothing: a client, a reader. */
  newProcess(kind: string): SimProcess {
    const process: SimProcess = { name: `${kind} ${++this.count}`, state: 'running' };
    this.processes.push(process);
    return process;
  }

  /** A Worker that would take a task now. */
  async takeWorker(): Promise<StartedWorker> {
    for (;;) {
      const ready = this.workers.filter(isReady);
      if (ready.length > 0) return this.random.pick(ready);
      await this.sleep(20);
    }
  }

  /** Lets a process do something, and hears what came of it, as the server does. */
  attempt<T>(process: SimProcess, name: string, body: () => Promise<T>): Promise<Ending<T>> {
    const { scheduler } = this;
    return new Promise((resolve) => {
      const lost = this.onLost.get(process) ?? new Set();
      this.onLost.set(process, lost);
      const settle = (ending: Ending<T>): void => {
        lost.delete(giveUp);
        resolve(ending);
      };
      const giveUp = (): void => settle({ type: 'lost' });
      lost.add(giveUp);
      const report = async (ending: Ending<T>): Promise<void> => {
        await scheduler.step(`reports ${name}: ${ending.type}`, () => undefined);
        settle(ending);
      };
      scheduler.start(process, name, () => {
        void body().then(
          (value) => report({ type: 'done', value }),
          (error: unknown) => report({ type: 'failed', error }),
        );
      });
    });
  }

  /** On the server's clock. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.ringIn(ms, resolve, this.server));
  }

  isWorker(process: SimProcess): boolean {
    return this.workers.some((worker) => worker.process === process);
  }

  isMortal(process: SimProcess): boolean {
    return this.processes.includes(process);
  }

  kill(process: SimProcess, byPowerCut = false): void {
    const wasWorker = this.isWorker(process);
    this.scheduler.kill(process);
    this.disk.forget(process);
    this.workers = this.workers.filter((worker) => worker.process !== process);
    this.processes = this.processes.filter((one) => one !== process);
    this.tellLost(process);
    if (wasWorker && !byPowerCut) this.startWorkerSoon();
  }

  stop(process: SimProcess): void {
    process.state = 'stopped';
    const { scheduler, server, random } = this;
    scheduler.ringIn(
      SILENCE_MS,
      () => process.state === 'stopped' && this.tellLost(process),
      server,
    );
    const wake = () => {
      if (process.state === 'stopped') process.state = 'running';
    };
    scheduler.ringIn(random.below(LONGEST_STOP_MS), wake, server);
    this.startWorkerSoon();
  }

  /** In order: it ends what it has begun, gives its sessions back, and goes. */
  leave(process: SimProcess): void {
    const worker = this.workers.find((one) => one.process === process);
    if (worker === undefined || worker.isLeaving) return;
    worker.isLeaving = true;
    void this.retire(worker);
    this.startWorkerSoon();
  }

  cutPower(): void {
    for (const process of this.processes) this.kill(process, true);
    this.commands.cutPower();
    this.files.cutPower(this.random);
    this.startWorkerSoon();
  }

  private async retire(worker: SimWorker): Promise<void> {
    while (worker.attempts > 0) await this.sleep(50);
    const { process, deps } = worker;
    if (deps === null || process.state === 'dead') return;
    await this.attempt(process, 'leaves', () => deps.sessions.releaseAll());
    this.scheduler.kill(process);
    this.workers = this.workers.filter((one) => one.process !== process);
  }

  private startWorkerSoon(): void {
    this.scheduler.ringIn(RESTART_MS, () => this.startWorker(), this.server);
  }

  private isRunning(name: string): boolean {
    return this.workers.some(({ process }) => process.name === name && process.state === 'running');
  }

  private tellLost(process: SimProcess): void {
    for (const giveUp of [...(this.onLost.get(process) ?? [])]) giveUp();
  }
}

type StartedWorker = SimWorker & { readonly deps: ActivityDeps };

const isReady = (worker: SimWorker): worker is StartedWorker =>
  worker.process.state === 'running' && worker.deps !== null && !worker.isLeaving;
