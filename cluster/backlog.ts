import { setTimeout as delay } from 'node:timers/promises';
import { eachOf } from './crowd';
import type { KeyedModel } from './keyed-model';
import type { Tenant } from './tenant';

/** How long the model thinks about each message of a backlog: spread evenly, so that no two end together. */
export interface Thinking {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Messages that are handed over at a time. */
const AT_ONCE = 8;

/** Messages of one tenant that Workers have yet to answer. */
export class Backlog {
  private constructor(
    private readonly model: KeyedModel,
    private readonly keys: readonly string[],
  ) {}

  /** Resolves when all are handed over: each to a session of its own, or all to one. None is answered before, so that
   *  they queue up however long that takes. */
  static async of(
    count: number,
    by: {
      readonly model: KeyedModel;
      readonly tenant: Tenant;
      readonly into: 'sessions' | 'one session';
      readonly thinking: Thinking;
    },
  ): Promise<Backlog> {
    const { model, tenant, into, thinking } = by;
    const shared = into === 'one session' ? await tenant.begin() : null;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let hasBegun = false;
    // Calls that have begun before the last message is handed over are as far as calls are at any time: anywhere.
    const think = async (index: number): Promise<void> => {
      const share = hasBegun ? 1 : spread(index + 1);
      await begun;
      await delay(thinkMs(index, thinking) * share);
    };
    const keys = Array.from({ length: count }, (_, index) => `backlog, ${into}, ${index}`);
    await eachOf(count, AT_ONCE, async (index) => {
      const content = model.expect(keys[index] ?? '', {
        replies: [{ content: [{ type: 'text', text: 'Done.' }] }],
        think: () => think(index),
      });
      await tenant.say(shared ?? (await tenant.begin()), content);
    });
    hasBegun = true;
    begin();
    return new Backlog(model, keys);
  }

  /** Messages whose request has not reached the model. */
  get waiting(): number {
    return this.keys.filter((key) => this.model.arrivalsOf(key).length === 0).length;
  }
}

const thinkMs = (index: number, { leastMs, mostMs }: Thinking): number =>
  leastMs + (mostMs - leastMs) * spread(index);

/** From 0 to 1: multiples of the golden ratio lie evenly, however many they are. */
const spread = (index: number): number => (index * 0.618_034) % 1;
