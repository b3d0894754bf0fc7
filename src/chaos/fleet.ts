import type { Rig } from './rig';
import { Victim } from './victim';

const LOOK_MS = 100;

/** All processes of a run. As a service manager does, it sees to it that a background Worker runs; one that was
 *  stopped and goes on is one more. */
export class Fleet {
  readonly #workers = new Set<Victim>();
  readonly #commands = new Set<Victim>();
  readonly #keeping: NodeJS.Timeout;
  #started = 0;

  constructor(private readonly rig: Rig) {
    this.#keeping = setInterval(() => this.#keep(), LOOK_MS);
    this.#keep();
  }

  /** Background Workers that are not stopped. */
  get workers(): readonly Victim[] {
    return [...this.#workers].filter(({ isStopped }) => !isStopped);
  }

  /** The same of commands that serve their sessions themselves. */
  get commands(): readonly Victim[] {
    return [...this.#commands].filter(({ isStopped }) => !isStopped);
  }

  /** Runs `everloop ARGS` in a folder, to be disturbed from the moment that `expose` is called. */
  run(
    args: readonly string[],
    cwd: string,
  ): { readonly victim: Victim; readonly expose: () => void } {
    const victim = this.#start(args, cwd);
    return {
      victim,
      expose: () => {
        if (!victim.hasEnded) this.#note(this.#commands, victim);
      },
    };
  }

  /** Wakes all that are stopped. */
  wake(): void {
    for (const victim of [...this.#workers, ...this.#commands]) if (victim.isStopped) victim.goOn();
  }

  /** What the Workers said last. */
  get lastLines(): string {
    return [...this.#workers].map(({ lastLines }) => lastLines).join('\n');
  }

  /** Nothing of it is left. */
  async close(): Promise<void> {
    clearInterval(this.#keeping);
    this.rig.noteSockets();
    await Promise.all([...this.#workers, ...this.#commands].map((victim) => victim.kill()));
  }

  /** One that sees another Worker live leaves again, so it is no harm to start one too many. */
  #keep(): void {
    if (this.workers.length === 0)
      this.#note(this.#workers, this.#start(['worker'], this.rig.home));
  }

  #start(args: readonly string[], cwd: string): Victim {
    this.#started += 1;
    return new Victim(this.rig, args, { cwd, log: `process-${this.#started}.log` });
  }

  #note(group: Set<Victim>, victim: Victim): void {
    group.add(victim);
    void victim.ended.then(() => group.delete(victim));
  }
}
