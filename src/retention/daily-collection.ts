import { join } from 'node:path';
import { COLLECTED_KINDS } from '../transcript/collection';
import { claimDay } from '../transcript/files/day-claims';
import { collectHome, HOME_KINDS, type HomeCollectionOptions } from './collect-home';
import { collectSessions, type CollectionOptions } from './collect-sessions';

export interface DailyOptions
  extends
    Pick<CollectionOptions, 'client' | 'store' | 'isAlive'>,
    Pick<HomeCollectionOptions, 'home'> {
  readonly owner: NonNullable<CollectionOptions['owner']>;
  /** What is older goes. */
  readonly days: number;
  /** For the Worker's log. */
  readonly warn: (text: string) => void;
}

const LOOK_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Collects once a day what is older than so many days, in the store and in this home. Of several Workers one does it;
 *  if it dies in the middle, the rest is done the next day. */
export class DailyCollection {
  readonly #options: DailyOptions;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: DailyOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(Date.now()), LOOK_MS).unref();
  }

  /** Collects if today's is still to be done. Never fails. */
  look(nowMs: number): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      if (this.#isStopped) return;
      await this.#look(nowMs).catch((error: unknown) => {
        this.#options.warn(`Old data could not be collected: ${String(error)}`);
      });
    });
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(nowMs: number): Promise<void> {
    const { store, home, days } = this.#options;
    const today = new Date(nowMs).toISOString().slice(0, 10);
    const before = new Date(nowMs - days * DAY_MS).toISOString();
    if (await store.claimDay('collection', today)) {
      const each = collectSessions({ ...this.#options, kinds: COLLECTED_KINDS, before });
      while (!this.#isStopped && (await each.next()).done !== true);
    }
    if (await claimDay(join(home, 'claims'), 'home', today)) {
      await collectHome({ ...this.#options, kinds: HOME_KINDS, before, isLook: false });
    }
  }
}
