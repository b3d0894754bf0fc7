import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Deed } from './readme';

/** Marks where a deed ends in what the shell prints. */
const DONE = '@@ done';

/** A shell into which somebody types what README says, one thing after the other: what is exported, started or entered
 *  stays for the next. */
export class NewcomerShell {
  readonly #shell: ChildProcess;
  #said = '';
  #changed: () => void = () => undefined;

  /** `tell`: gets all that is printed. */
  constructor(
    folder: string,
    env: Readonly<Record<string, string | undefined>>,
    tell: (text: string) => void,
  ) {
    // A group of its own, so that all that README starts in the background ends with it.
    this.#shell = spawn('bash', ['-e'], { cwd: folder, env, detached: true });
    const hear = (text: string): void => {
      tell(text.replaceAll(new RegExp(`^${DONE}.*\n`, 'gm'), ''));
      this.#said += text;
      this.#changed();
    };
    this.#shell.stdout?.setEncoding('utf8').on('data', hear);
    this.#shell.stderr?.setEncoding('utf8').on('data', hear);
    this.#shell.once('exit', () => this.#changed());
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Resolves with what was printed when it is done.
   *  Fails: Error when a command fails, time is over, or something else is printed than README says. */
  async perform(deed: Deed, { timeoutMs }: { readonly timeoutMs: number }): Promise<string> {
    this.#said = '';
    // What runs must not read what will be typed next.
    this.#shell.stdin?.write(`eval ${quoted(typed(deed))} </dev/null\necho '${DONE}'\n`);
    const deadline = setTimeout(() => this.#kill(), timeoutMs);
    try {
      while (!this.#said.includes(`${DONE}\n`)) {
        if (this.#hasEnded) throw failure(deed, 'failed or took too long', this.#said);
        await new Promise<void>((resolve) => (this.#changed = resolve));
      }
    } finally {
      clearTimeout(deadline);
    }
    const missing = deed.prints.filter((line) => !this.#said.includes(line));
    if (missing.length > 0)
      throw failure(deed, `did not print "${missing.join('\n')}"`, this.#said);
    return this.#said;
  }

  /** With all that README has started in the background. */
  async end(): Promise<void> {
    this.#kill();
    if (!this.#hasEnded) await once(this.#shell, 'exit');
    // What it started may have kept the other ends.
    this.#shell.stdout?.destroy();
    this.#shell.stderr?.destroy();
  }

  #kill(): void {
    if (this.#shell.pid === undefined) return;
    try {
      process.kill(-this.#shell.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  }

  get #hasEnded(): boolean {
    return this.#shell.exitCode !== null || this.#shell.signalCode !== null;
  }
}

function typed({ language, text }: Deed): string {
  if (language === 'sh') return text;
  const [, file] = /^\/\/ (\S+)\n/.exec(text) ?? [];
  if (file === undefined)
    throw new Error(`A file of README does not begin with its name:\n${text}`);
  return `printf '%s\\n' ${quoted(text)} >${quoted(file)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const failure = ({ heading, text }: Deed, what: string, said: string): Error =>
  new Error(`"${heading}" ${what}:\n${text}\n\nIt printed:\n${said.slice(-4_000)}`);
