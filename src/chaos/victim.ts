import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from './rig';

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');
const LOG_LINES = 15;

/** A process of everloop that things are done to. */
export class Victim {
  /** Resolves with its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  isStopped = false;
  wasKilled = false;
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #logFile: string;

  constructor(rig: Rig, args: readonly string[], { cwd, log }: { cwd: string; log: string }) {
    this.#logFile = join(rig.home, log);
    const output = openSync(this.#logFile, 'a', 0o600);
    this.#child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd,
      env: rig.environment,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', () => resolve(null));
      this.#child.once('exit', (code) => resolve(code));
    });
    void this.ended.then(() => (this.hasEnded = true));
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.wasKilled = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** It does nothing any more, and its connections stay open. */
  stop(): void {
    this.isStopped = true;
    this.#child.kill('SIGSTOP');
  }

  goOn(): void {
    this.isStopped = false;
    this.#child.kill('SIGCONT');
  }

  /** What it wrote last, for messages. */
  get lastLines(): string {
    const lines = readFileSync(this.#logFile, 'utf8').trimEnd().split('\n');
    return lines.slice(-LOG_LINES).join('\n');
  }
}
