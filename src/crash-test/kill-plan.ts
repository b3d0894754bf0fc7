import type { Kill } from './kill';

/** What an undisturbed run offers to kills. */
export interface KillTargets {
  /** Names of those that the Worker reached, in order. */
  readonly failpoints: readonly string[];
  /** Number of history events, by Workflow. */
  readonly events: Readonly<Record<string, number>>;
  /** From the Worker's first poll to the end. */
  readonly durationMs: number;
}

export interface KillChoice {
  /** Of failpoints and events: every n-th. */
  readonly every: number;
  readonly failpoints: boolean;
  readonly events: boolean;
  /** Number of random moments. */
  readonly random: number;
  readonly seed: number;
  /** These and no others; null: as chosen above. */
  readonly only: readonly Kill[] | null;
}

/** Every kill of a matrix. The same seed and targets give the same moments. */
export function planKills(targets: KillTargets, choice: KillChoice): readonly Kill[] {
  if (choice.only !== null) return choice.only;
  const { every, random, seed } = choice;
  const failpoints = numbered(choice.failpoints ? targets.failpoints : []).map((at): Kill => ({
    type: 'failpoint',
    at,
  }));
  const events = Object.entries(choice.events ? targets.events : {}).flatMap(([workflow, count]) =>
    numbers(count).map((number): Kill => ({ type: 'event', workflow, number })),
  );
  const next = randomFrom(seed);
  const moments = Array.from({ length: random }, (): Kill => {
    return { type: 'moment', afterMs: Math.floor(next() * targets.durationMs) };
  });
  return [...everyNth(failpoints, every), ...everyNth(events, every), ...moments];
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The second "tool.ran" becomes "tool.ran:2". */
function numbered(names: readonly string[]): readonly string[] {
  const times = new Map<string, number>();
  return names.map((name) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return `${name}:${time}`;
  });
}

const everyNth = (kills: readonly Kill[], every: number): readonly Kill[] =>
  kills.filter((_kill, index) => (index + 1) % every === 0);

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
