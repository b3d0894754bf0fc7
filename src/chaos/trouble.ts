import { setTimeout as delay } from 'node:timers/promises';
import { serverStatus } from '../server/local-server';
import type { Random } from '../simulation/random';
import type { Fleet } from './fleet';
import type { Rig } from './rig';
import type { Victim } from './victim';

export const TROUBLES = [
  'Worker killed',
  'Worker stopped',
  'command killed',
  'command stopped',
  'server killed',
  'everything killed',
] as const;
export type TroubleName = (typeof TROUBLES)[number];

/** How often each comes, in parts of their sum. */
const WEIGHTS: Readonly<Record<TroubleName, number>> = {
  'Worker killed': 40,
  'Worker stopped': 20,
  'command killed': 15,
  'command stopped': 10,
  'server killed': 10,
  'everything killed': 5,
};

/** Between two troubles: some come while the last one is being mended, some when it is. */
const PAUSES_MS = [300, 2_000, 5_000, 10_000, 20_000] as const;
/** Some wake before they are missed, some after. */
const SLEEPS_MS = [500, 2_000, 5_000, 12_000] as const;

/** Makes trouble until it is told to stop. The seed sets what and when; what it hits is up to the machine. */
export class Trouble {
  readonly counts: Record<TroubleName, number> = {
    'Worker killed': 0,
    'Worker stopped': 0,
    'command killed': 0,
    'command stopped': 0,
    'server killed': 0,
    'everything killed': 0,
  };
  readonly #sleepers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly rig: Rig,
    private readonly fleet: Fleet,
    private readonly random: Random,
  ) {}

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Those that no session is in for any more: whoever is stopped may still be given its work, and wakes late. */
  get past(): number {
    return this.total - this.#sleepers.size;
  }

  /** Resolves when the signal has aborted; then every process runs. */
  async make(signal: AbortSignal): Promise<void> {
    const pause = (): Promise<boolean> =>
      delay(this.random.pick(PAUSES_MS), true, { signal }).catch(() => false);
    while (await pause()) await this.#make(this.#choose());
    for (const timer of this.#sleepers) clearTimeout(timer);
    this.fleet.wake();
  }

  async #make(name: TroubleName): Promise<void> {
    const { workers, commands } = this.fleet;
    this.rig.noteSockets();
    switch (name) {
      case 'Worker killed':
        return this.#strike(name, workers, (victim) => victim.kill());
      case 'Worker stopped':
        return this.#strike(name, workers, (victim) => this.#sleep(victim));
      case 'command killed':
        return this.#strike(name, commands, (victim) => victim.kill());
      case 'command stopped':
        return this.#strike(name, commands, (victim) => this.#sleep(victim));
      case 'server killed':
        this.counts[name] += 1;
        return this.#killServer();
      case 'everything killed':
        this.counts[name] += 1;
        await Promise.all([...workers, ...commands].map((victim) => victim.kill()));
        return this.#killServer();
    }
  }

  async #strike(
    name: TroubleName,
    among: readonly Victim[],
    strike: (victim: Victim) => Promise<void>,
  ): Promise<void> {
    // The Worker that replaces the last one is not there yet.
    if (among.length === 0) return;
    const victim = this.random.pick(among);
    this.counts[name] += 1;
    await strike(victim);
  }

  #sleep(victim: Victim): Promise<void> {
    victim.stop();
    const timer = setTimeout(() => {
      this.#sleepers.delete(timer);
      victim.goOn();
    }, this.random.pick(SLEEPS_MS));
    this.#sleepers.add(timer);
    return Promise.resolve();
  }

  /** Whoever uses it starts it again. */
  async #killServer(): Promise<void> {
    const status = await serverStatus(this.rig.home);
    if (status.running) process.kill(status.pid, 'SIGKILL');
  }

  /** Commands come and go. */
  #choose(): TroubleName {
    const hasCommands = this.fleet.commands.length > 0;
    const names = TROUBLES.filter((name) => hasCommands || !name.startsWith('command'));
    let left = this.random.below(names.reduce((sum, name) => sum + WEIGHTS[name], 0));
    for (const name of names) {
      left -= WEIGHTS[name];
      if (left < 0) return name;
    }
    return 'Worker killed';
  }
}
