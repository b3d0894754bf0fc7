import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { clockMs } from './clock';

/** A process of Node that is watched from its first moment. */
export class BenchProcess {
  readonly startedAtMs = clockMs();
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  endedAtMs: number | null = null;
  #output = '';

  private constructor(private readonly child: ChildProcess) {
    this.ended = new Promise((resolve) => {
      child.once('exit', (code) => {
        this.endedAtMs = clockMs();
        resolve(code);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on(
        'data',
        (chunk: Buffer) => (this.#output = tailOf(this.#output + chunk.toString())),
      );
    }
  }

  static spawn(
    script: string,
    args: readonly string[],
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ): BenchProcess {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return new BenchProcess(
      spawn(process.execPath, [script, ...args], { ...options, stdio: [...stdio] }),
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Hears each line of stdout from now on. */
  onLine(listener: (line: string) => void): void {
    const { stdout } = this.child;
    if (stdout !== null) createInterface(stdout).on('line', listener);
  }

  /** Takes no more from stdout until `readOn`. */
  stopReading(): void {
    this.child.stdout?.pause();
  }

  readOn(): void {
    this.child.stdout?.resume();
  }

  /** SIGKILL; returns the instant of it. */
  async kill(): Promise<number> {
    const killedAtMs = clockMs();
    this.child.kill('SIGKILL');
    await this.ended;
    return killedAtMs;
  }

  /** SIGTERM, and the wait for the end. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  /** The same promise, but when it fails, the error says what the process was doing. */
  async orExplain<T>(awaited: Promise<T>): Promise<T> {
    try {
      return await awaited;
    } catch (error) {
      const state = this.endedAtMs === null ? 'runs' : `ended with ${String(await this.ended)}`;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${reason}\nProcess ${this.pid} ${state}. Its last output:\n${this.#output}`,
        {
          cause: error,
        },
      );
    }
  }

  /** Waits for the end. Fails: Error with the last output when it is not a good one. */
  async succeed(): Promise<void> {
    const code = await this.ended;
    if (code === 0) return;
    throw new Error(
      `Process ${this.pid} ended with ${String(code)}. Its last output:\n${this.#output}`,
    );
  }
}

const tailOf = (text: string): string => text.slice(-4_000);
