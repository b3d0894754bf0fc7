import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { failpoint } from '../failpoint/failpoint';
import { readProcess } from '../tools/shell/process-table';
import type { ProcessIdentity } from '../tools/shell/process-identity';
import { endProcessTree } from '../tools/shell/process-tree';
import type { TreeMark } from '../tools/shell/tree-mark';
import type { CommandHook } from './hook';
import { LimitedOutput } from './limited-output';

/** What a hook left in the background may hold its output open; only what is on the way is waited for. */
const DRAIN_MS = 100;

export interface ProcessPlace {
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command hook that runs, in a process group of its own. */
export class HookProcess {
  /** The exit code; null: a signal ended it. Fails: with the reason why it could not be started. */
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #mark: TreeMark;
  readonly #leader: ProcessIdentity;
  readonly #stdout = new LimitedOutput();
  readonly #stderr = new LimitedOutput();

  constructor({ command, args, shell }: CommandHook, input: string, { cwd, env }: ProcessPlace) {
    const mark = randomUUID();
    this.#mark = { environmentLine: `EVERLOOP_HOOK=${mark}`, lockLimit: null };
    const [file, parameters] = args === null ? [shell, ['-c', command]] : [command, args];
    failpoint('hook.spawn.before');
    this.#child = spawn(file, parameters, {
      cwd,
      env: { ...env, EVERLOOP_HOOK: mark },
      detached: true,
      stdio: 'pipe',
    });
    failpoint('hook.spawn.after');
    // First: its `error` event is nobody else's.
    this.exited = this.#waitForExit();
    this.exited.catch(() => undefined);
    this.#leader = identityOf(this.#child.pid ?? 0);
    this.#child.stdout.on('data', (chunk: Buffer) => this.#stdout.take(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => this.#stderr.take(chunk));
    // A hook need not read what it is told (EPIPE).
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.end(input);
  }

  get stdout(): string {
    return this.#stdout.text;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  onStdout(listener: () => void): void {
    this.#child.stdout.on('data', listener);
  }

  /** This process may end before it. */
  detach(): void {
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      if (stream instanceof Socket) stream.unref();
    }
  }

  /** The command and everything that it started. */
  async endTree(): Promise<void> {
    await endProcessTree({ leader: this.#leader, mark: this.#mark });
  }

  #waitForExit(): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', (code) => {
        const finish = (): void => {
          clearTimeout(timer);
          this.#child.off('close', finish);
          this.detach();
          resolve(code);
        };
        // setImmediate: however late the timer is, what has been written is read before it.
        const timer = setTimeout(() => setImmediate(finish), DRAIN_MS);
        this.#child.once('close', finish);
      });
    });
  }
}

function identityOf(pid: number): ProcessIdentity {
  let boot = '-';
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // "-" where the system does not tell, as for every identity.
  }
  return { pid, boot, startTime: readProcess(pid)?.startTime ?? '' };
}
