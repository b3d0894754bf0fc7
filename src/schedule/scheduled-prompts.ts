import { join } from 'node:path';
import { disk } from '../disk/disk';
import { createFile, makeFolder } from '../transcript/files/atomic-write';
import type { RunOptions } from '../transcript/message';

/** What a schedule begins each of its sessions with. JSON. It lies in the home folder: the schedule itself, which
 *  everybody may look at who sees the server, has its name alone. */
export interface ScheduledPrompt {
  readonly prompt: string;
  /** Working folder. Absolute. */
  readonly cwd: string;
  /** What the command line said. The rest is read from the settings at each firing. */
  readonly flags: Partial<RunOptions>;
}

/** The prompts of a home's schedules, by the schedule's name. */
export class ScheduledPrompts {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'schedules');
  }

  /** false: there is one of that name, and it stays as it is. Fails: StoreError `no_space` or `io`. */
  async create(name: string, prompt: ScheduledPrompt): Promise<boolean> {
    await makeFolder(this.#folder);
    return createFile(this.#file(name), JSON.stringify(prompt));
  }

  /** undefined: there is none of that name. */
  async find(name: string): Promise<ScheduledPrompt | undefined> {
    const file = this.#file(name);
    return disk.existsSync(file) ? fromFile(await disk.readFile(file, 'utf8')) : undefined;
  }

  /** false: there was none. */
  async remove(name: string): Promise<boolean> {
    const file = this.#file(name);
    if (!disk.existsSync(file)) return false;
    await disk.unlink(file);
    return true;
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}

/** Written by us, whole: its shape is not checked again. */
const fromFile = (text: string): ScheduledPrompt => JSON.parse(text) as ScheduledPrompt;
