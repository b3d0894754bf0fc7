import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { DemoFailure } from './demo-failure';

export interface ChildOptions {
  /** For messages: "Worker 1". */
  readonly name: string;
  /** Of node: a script and its arguments. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  /** Takes what it prints, apart from stdout if somebody reads that. */
  readonly logFile: string;
  readonly isRead?: boolean;
}

const ENDS_WITHIN_MS = 15_000;
const LOG_LINES = 15;

/** A process of the demo's own, started by it and ended by it. */
export class Child {
  readonly name: string;
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<void>;
  /** Rejects when it ends although nobody asked it to. */
  readonly failed: Promise<never>;
  readonly #options: ChildOptions;
  readonly #process: ChildProcess;
  #isEnding = false;

  constructor(options: ChildOptions) {
    const log = openSync(options.logFile, 'a', 0o600);
    this.name = options.name;
    this.#options = options;
    // Its stdin ends with this process, however that ends.
    this.#process = spawn(process.execPath, options.args, {
      cwd: options.folder,
      env: options.environment,
      stdio: ['pipe', options.isRead ? 'pipe' : log, log],
    });
    closeSync(log);
    this.#process.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', () => resolve());
      this.#process.once('error', () => resolve());
    });
    // Also when this process fails in a way that nobody foresaw.
    const last = (): void => void this.#process.kill('SIGKILL');
    process.once('exit', last);
    void this.ended.then(() => process.off('exit', last));
    this.failed = new Promise((_resolve, reject) => {
      void this.ended.then(() => {
        if (!this.#isEnding) reject(this.#failure('ended by itself'));
      });
    });
    this.failed.catch(() => undefined);
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw this.#failure('could not be started');
    return this.#process.pid;
  }

  /** Fails: DemoFailure when it ends without one. */
  async firstLine(): Promise<string> {
    const { stdout } = this.#process;
    if (stdout === null) throw new Error(`Nobody reads what ${this.name} prints.`);
    const line = new Promise<string>((resolve) => {
      createInterface(stdout).once('line', resolve);
    });
    return Promise.race([line, this.failed]);
  }

  /** SIGKILL: it learns nothing of it and tidies up nothing. */
  async kill(): Promise<void> {
    this.#isEnding = true;
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  /** SIGTERM, and SIGKILL if that is not enough. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#process.stdin?.end();
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), ENDS_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
  }

  #failure(what: string): DemoFailure {
    const { exitCode, signalCode } = this.#process;
    const how = exitCode === null ? (signalCode ?? 'no process') : `exit ${exitCode}`;
    const lines = readFileSync(this.#options.logFile, 'utf8').trimEnd().split('\n');
    return new DemoFailure(
      `${this.name} ${what} (${how}). Its last lines:\n${lines.slice(-LOG_LINES).join('\n')}`,
    );
  }
}
