import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where its output goes. */
  readonly logFile: string;
}

const POLL_MS = 50;
const SHOWN_LOG_LINES = 20;

/** Becomes the program, and leaves somebody behind who ends it when our end of its stdin goes, however we end. */
const GUARDED =
  'exec 3<&0 </dev/null; { cat <&3 >/dev/null; kill -TERM $$ 2>/dev/null; } & exec 3<&-; exec "$@"';

/** A process that lives no longer than ours, in a process group of its own. */
export class Supervised {
  /** How it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  #end: string | null = null;

  private constructor(
    private readonly program: Program,
    private readonly child: ChildProcess,
  ) {
    this.ended = new Promise((resolve) => {
      const finish = (how: string): void => {
        this.#end ??= how;
        this.#killGroup();
        resolve(how);
      };
      child.once('error', (error) => finish(error.message));
      child.once('exit', (code, signal) => finish(signal ?? `exit code ${String(code)}`));
    });
  }

  static start(program: Program): Supervised {
    const log = openSync(program.logFile, 'a', 0o600);
    try {
      const child = spawn('/bin/sh', ['-c', GUARDED, 'sh', ...program.command], {
        cwd: program.cwd,
        env: program.env,
        detached: true,
        stdio: ['pipe', log, log],
      });
      return new Supervised(program, child);
    } finally {
      closeSync(log);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves when `isReady` says so. Fails: Error with the end of its log, when it ends before or takes too long. */
  async until(isReady: () => Promise<boolean>, withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!(await isReady())) {
      if (this.#end !== null) throw this.#failure(`ended while it started (${this.#end})`);
      if (Date.now() > deadline) throw this.#failure(`was not ready within ${withinMs / 1000} s`);
      await delay(POLL_MS);
    }
  }

  /** For a program that does something and ends. Fails: Error with the end of its log. */
  async succeed(withinMs: number): Promise<void> {
    await this.until(async () => this.#end !== null, withinMs);
    if (this.#end !== 'exit code 0') throw this.#failure(`failed (${String(this.#end)})`);
  }

  /** SIGTERM, and after `patienceMs` SIGKILL. Resolves when it is gone. */
  async stop(patienceMs: number): Promise<void> {
    if (this.#end !== null) return;
    this.child.kill('SIGTERM');
    const late = setTimeout(() => this.#killGroup(), patienceMs);
    await this.ended;
    clearTimeout(late);
  }

  /** SIGKILL. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#killGroup();
    await this.ended;
  }

  /** Also what it has left behind in its group: the guard at least. */
  #killGroup(): void {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
  }

  #failure(what: string): Error {
    const { name, logFile } = this.program;
    const log = readFileSync(logFile, 'utf8').trim().split('\n').slice(-SHOWN_LOG_LINES).join('\n');
    return new Error(`${name} ${what}. Its log, ${logFile}, ends:\n${log}`);
  }
}
