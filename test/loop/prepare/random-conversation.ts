import fc from 'fast-check';
import type { ContextMessage } from '../../../src/loop/prepare/context-message';
import { answer, call, conversation, result, said, type Draft } from './builders';

interface Turn {
  readonly calls: readonly {
    readonly tool: string;
    readonly chars: number;
    readonly lines: boolean;
  }[];
  readonly words: number;
  readonly hasIds: boolean;
  readonly isInterleaved: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom('Bash', 'Read', 'Grep', 'mcp__other'),
      chars: fc.oneof(fc.nat(300), fc.integer({ min: 20_000, max: 90_000 })),
      lines: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  words: fc.nat(2),
  hasIds: fc.boolean(),
  isInterleaved: fc.boolean(),
});

/** Whole conversations in which every call has its result. */
export const conversations = (minTurns = 0, maxTurns = 30): fc.Arbitrary<ContextMessage[]> =>
  fc
    .array(turn, { minLength: minTurns, maxLength: maxTurns })
    .map((turns) =>
      conversation(said('Do it.'), turns.map((one, index) => draftsOf(one, index)).flat()),
    );

function draftsOf({ calls, words, hasIds, isInterleaved }: Turn, index: number): Draft[] {
  const apiId = hasIds ? `reply-${index}` : null;
  const pairs = calls.map(({ tool, chars: count, lines }, at) => {
    const id = `c${index}-${at}`;
    return [call(id, tool, {}, apiId), result(id, (lines ? 'ab\n' : 'xyz').repeat(count / 3))];
  });
  const uses = pairs.map(([use]) => use!);
  const results = pairs.map(([, one]) => one!);
  const work = isInterleaved ? pairs.flat() : [...uses, ...results];
  const texts = Array.from({ length: words }, (_, at) => said(`Word ${index}-${at}.`));
  return [answer(`Turn ${index}.`, apiId), ...work, ...texts];
}
