import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIX_THE_BUG_FILES } from '../scripted-model/scripts/fix-the-bug';
import { Child, type ChildOptions } from './child';

/** A scratch folder with a small project, a home for sessions beside it, and the processes that work there.
 *  The home is the demo's own, so that it never meets a Worker that serves the user's sessions. */
export class Stage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-demo-')));
  readonly project = join(this.folder, 'project');
  /** Rejects when one of the processes ends by itself. */
  readonly failed: Promise<never>;
  readonly #children: Child[] = [];
  readonly #bashStart = join(this.folder, 'bash-start');
  readonly #shells = join(this.folder, 'shells');
  readonly #config = join(this.folder, 'config');
  #fail: (error: unknown) => void = () => undefined;

  constructor() {
    mkdirSync(this.project);
    for (const [name, content] of Object.entries(FIX_THE_BUG_FILES)) {
      writeFileSync(join(this.project, name), content);
    }
    // In a sandbox no witness outside could see which processes there are.
    mkdirSync(this.#config);
    writeFileSync(join(this.#config, 'settings.json'), '{ "sandbox": { "enabled": false } }\n');
    // Every Bash that starts reads this file first: a witness that knows nothing of everloop.
    writeFileSync(this.#shells, '');
    writeFileSync(this.#bashStart, `echo $$ >>'${this.#shells}'\n`);
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    this.failed.catch(() => undefined);
  }

  /** What Workers get so that sessions, settings and transcripts lie in the scratch folder. */
  get environment(): Readonly<Record<string, string>> {
    return {
      EVERLOOP_HOME: join(this.folder, 'home'),
      CLAUDE_CONFIG_DIR: this.#config,
      BASH_ENV: this.#bashStart,
    };
  }

  /** Process ids of the shells that ran commands, in the order of their start. */
  shells(): readonly number[] {
    return readFileSync(this.#shells, 'utf8').trim().split('\n').filter(Boolean).map(Number);
  }

  write(name: string, content: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }

  start(options: Omit<ChildOptions, 'folder' | 'logFile'>): Child {
    const logFile = join(this.folder, `${options.name.toLowerCase().replaceAll(' ', '-')}.log`);
    const child = new Child({ ...options, folder: this.folder, logFile });
    this.#children.push(child);
    child.failed.catch(this.#fail);
    return child;
  }

  /** The latest first: a Worker still needs the model. */
  async endProcesses(): Promise<void> {
    for (const child of [...this.#children].reverse()) await child.end();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
