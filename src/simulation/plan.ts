import type { Random } from './random';
import type { PlannedCall } from './sim-model';

/** What a user asks for, and which calls the model makes of it. */
export interface PlannedQuery {
  readonly messageId: string;
  /** Calls of each reply; behind the last one comes a reply without any. */
  readonly turns: readonly (readonly PlannedCall[])[];
  /** The client does not know whether its message has arrived. */
  readonly isSentTwice: boolean;
}

const TOOLS = ['Note', 'Look', 'Bash', 'Bash', 'Write'];

export function planQueries(random: Random): readonly PlannedQuery[] {
  return upTo(random, 2, (index) => ({
    messageId: `00000000-0000-4000-9000-00000000000${index + 1}`,
    turns: upTo(random, 2, () => upTo(random, 3, () => ({ name: random.pick(TOOLS) }))),
    isSentTwice: random.chance(0.3),
  }));
}

function upTo<T>(random: Random, most: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: 1 + random.below(most) }, (_none, index) => make(index));
}
