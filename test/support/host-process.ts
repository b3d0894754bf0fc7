import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { kill } from './kill';

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');

/** The background Worker of a host: `everloop worker`, as it is built in dist/. */
export class HostProcess {
  readonly #child: ChildProcess;
  #said = '';

  constructor(environment: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [LAUNCHER, 'worker'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (bytes: Buffer) => (this.#said += bytes.toString()));
    }
  }

  /** What came on both streams. */
  get said(): string {
    return this.#said;
  }

  /** It neither runs nor ends. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void> {
    return kill(this.#child);
  }
}
