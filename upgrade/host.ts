import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from './builds';
import { until } from './until';
import type { World } from './world';

const LAST_CHARS = 2_000;

/** A background Worker of one build on a host: `everloop worker`. */
export class HostWorker {
  readonly #child: ChildProcess;
  #said = '';

  private constructor(build: Build, environment: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [build.launcher, 'worker'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        this.#said = (this.#said + bytes.toString()).slice(-LAST_CHARS);
      });
    }
  }

  /** Resolves when the store knows it, which is when it serves.
   *  `more`: of its environment. */
  static async start(world: World, { host, build, more = {} }: StartOptions): Promise<HostWorker> {
    mkdirSync(join(world.root, host, 'home'), { recursive: true });
    const known = new Set((await world.workers()).map(({ workerId }) => workerId));
    const worker = new HostWorker(build, { ...world.environmentOf(host), ...more });
    await until(`Worker ${build.name} on host ${host} serves`, async () => {
      if (worker.#child.exitCode !== null) {
        throw new Error(`Worker ${build.name} on ${host} left: ${worker.#said}`);
      }
      const workers = await world.workers();
      return workers.find((one) => one.host === host && !known.has(one.workerId));
    });
    return worker;
  }

  /** SIGTERM; resolves with how long it took to leave, in ms. */
  async end(): Promise<number> {
    const begunAtMs = performance.now();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const left = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await left;
    }
    return performance.now() - begunAtMs;
  }

  /** SIGKILL; for the end of the show. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

export interface StartOptions {
  readonly host: string;
  readonly build: Build;
  readonly more?: Readonly<Record<string, string>>;
}
