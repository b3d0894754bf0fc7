import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkerProcess, type WorkerProcessOptions } from './worker-process';

const LEAVES_WITHIN_MS = 5_000;

/** Processes of a crash test. Most of a Worker's cost is the start of its process: one that has replaced a killed
 *  Worker is killed itself in a later run, so that each kill costs one start instead of two. */
export class WorkerPool {
  readonly #folder = mkdtempSync(join(tmpdir(), 'everloop-crash-workers-'));
  readonly #living = new Set<WorkerProcess>();
  readonly #free: WorkerProcess[] = [];
  #started = 0;

  constructor(private readonly options: Pick<WorkerProcessOptions, 'script' | 'environment'>) {}

  /** One that has served before, if there is one. */
  take(): WorkerProcess {
    return this.#free.pop() ?? this.start();
  }

  start(): WorkerProcess {
    const folder = this.#folder;
    this.#started += 1;
    const logFile = join(folder, `worker-${this.#started}.log`);
    const worker = new WorkerProcess({ ...this.options, folder, logFile });
    this.#living.add(worker);
    void worker.ended.then(() => this.#living.delete(worker));
    return worker;
  }

  /** Resolves when it has left its session, or is gone. */
  async giveBack(worker: WorkerProcess): Promise<void> {
    const left = worker.leave().then(() => true);
    const hasLeft = await Promise.race([left, delay(LEAVES_WITHIN_MS, false, { ref: false })]);
    if (!hasLeft) await worker.kill();
    else if (this.#living.has(worker)) this.#free.push(worker);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#living].map((worker) => worker.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
