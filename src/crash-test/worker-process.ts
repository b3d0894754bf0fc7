import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Serve, WorkerOrder } from './worker-order';

export interface WorkerProcessOptions {
  /** Path of the crash script. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly logFile: string;
}

/** `worker-main.ts`, out of the bundle: a third of the CPU that a start costs is saved, once per kill. */
const MAIN = join(__dirname, '..', 'start', 'crash-worker.js');
const LOG_LINES = 15;

/** A process that serves, to be killed. */
export class WorkerProcess {
  /** Resolves with the signal that ended it; null: it left by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: Interface;

  constructor(private readonly options: WorkerProcessOptions) {
    const { script, environment, folder, logFile } = options;
    const log = openSync(logFile, 'a', 0o600);
    // Its stdin ends with this process, however that ends.
    const child = spawn(process.execPath, [...process.execArgv, MAIN, script], {
      cwd: folder,
      env: { ...environment },
      stdio: ['pipe', 'pipe', log],
    }) as ChildProcessByStdio<Writable, Readable, null>;
    closeSync(log);
    this.#process = child;
    this.#answers = createInterface(child.stdout);
    child.stdin.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('exit', (_code, signal) => resolve(signal));
      child.once('error', () => resolve(null));
    });
  }

  /** Resolves when it polls, or has ended. */
  serve(order: Omit<Serve, 'type'>): Promise<void> {
    return this.#obey({ type: 'serve', ...order });
  }

  /** Resolves when it serves nobody any more, or has ended. */
  leave(): Promise<void> {
    return this.#obey({ type: 'leave' });
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  /** What it wrote last, for messages. */
  get lastLines(): string {
    const lines = readFileSync(this.options.logFile, 'utf8').trimEnd().split('\n');
    return lines.slice(-LOG_LINES).join('\n');
  }

  async #obey(order: WorkerOrder): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      const hear = (line: string): void => {
        // Native code may warn on stdout in between.
        if (line !== order.type) return;
        this.#answers.off('line', hear);
        resolve();
      };
      this.#answers.on('line', hear);
    });
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    await Promise.race([answered, this.ended]);
  }
}
