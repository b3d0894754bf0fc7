import {
  applyToolResultBudget,
  MESSAGE_BUDGET_CHARS,
  type BudgetInput,
} from '../../../src/loop/prepare/tool-result-budget';
import { persistedOutput } from '../../../src/loop/prepare/persisted-output';
import {
  answer,
  call,
  chars,
  contents,
  conversation,
  image,
  NOTHING_DECIDED,
  result,
  said,
  user,
} from './builders';

const apply = (input: Pick<BudgetInput, 'messages'> & Partial<BudgetInput>) =>
  applyToolResultBudget({
    decisions: NOTHING_DECIDED,
    limitChars: MESSAGE_BUDGET_CHARS,
    placeFor: (id) => `/results/${id}`,
    ...input,
  });

/** One reply with a call per size, and their results. */
const parallel = (sizes: readonly number[], tool = 'Bash') => [
  ...sizes.map((_, index) => call(`c${index}`, tool, {}, 'reply')),
  ...sizes.map((size, index) => result(`c${index}`, chars(size))),
];

const replacedIds = (messages: BudgetInput['messages'], changes: Partial<BudgetInput> = {}) =>
  apply({ messages, ...changes }).fresh.map(({ toolUseId }) => toolUseId);

test('200,000 characters of results in one message stay, and are the same objects', () => {
  const messages = conversation(said('go'), parallel([100_000, 100_000]));

  const applied = apply({ messages });

  expect(applied.messages).toBe(messages);
  expect(applied.fresh).toEqual([]);
});

test('one character more: the largest goes, with its size, place and beginning in its place', () => {
  const messages = conversation(said('go'), parallel([80_000, 80_001, 40_000]));

  const applied = apply({ messages });

  expect(applied.fresh).toEqual([
    {
      toolUseId: 'c1',
      text: contents(applied.messages)['c1'],
      original: chars(80_001),
    },
  ]);
  expect(contents(applied.messages)['c1']).toContain('80001 characters');
  expect(contents(applied.messages)['c1']).toContain('/results/c1');
  expect(applied.messages[4]).toBe(messages[4]);
});

test('largest first, until the rest fits', () => {
  const messages = conversation(said('go'), parallel([90_000, 150_000, 40_000, 120_000]));

  expect(replacedIds(messages)).toEqual(['c1', 'c3']);
});

test('what stands in for a text counts as well', () => {
  const messages = conversation(said('go'), parallel([100_000, 100_000, 100_000]));

  expect(replacedIds(messages)).toEqual(['c0', 'c1']);
});

test('a text that would get no shorter stays', () => {
  const size = persistedOutput(chars(3_000), '/results/c0').length;

  expect(replacedIds(conversation(parallel([size])), { limitChars: 100 })).toEqual([]);
  expect(replacedIds(conversation(parallel([size + 1])), { limitChars: 100 })).toEqual(['c0']);
});

test('what was seen whole stays whole, however much there is', () => {
  const messages = conversation(said('go'), parallel([150_000, 140_000, 10_000]));
  const seen = (id: string) => id !== 'c2';

  expect(replacedIds(messages, { decisions: { replacements: new Map(), seen } })).toEqual(['c2']);
});

test('what was decided is applied byte for byte, and not decided again', () => {
  const messages = conversation(said('go'), parallel([150_000, 140_000]));
  const decisions = { replacements: new Map([['c0', 'stored elsewhere']]), seen: () => true };

  const applied = apply({ messages, decisions });

  expect(contents(applied.messages)).toEqual({ c0: 'stored elsewhere', c1: chars(140_000) });
  expect(applied.fresh).toEqual([]);
});

test('neighbouring user messages are one message of the API', () => {
  const messages = conversation(
    parallel([120_000]),
    said('by the way'),
    result('x', chars(90_000)),
  );

  expect(replacedIds(messages)).toEqual(['c0']);
});

test('results between the blocks of one reply count together, those of two replies do not', () => {
  const apart = (second: string | null, first: string | null = 'one') =>
    conversation(
      call('a', 'Bash', {}, first),
      result('a', chars(120_000)),
      call('b', 'Bash', {}, second),
      result('b', chars(110_000)),
    );

  expect(replacedIds(apart('one'))).toEqual(['a']);
  expect(replacedIds(apart('two'))).toEqual([]);
  expect(replacedIds(apart(null))).toEqual([]);
  expect(replacedIds(apart(null, null))).toEqual([]);
});

test('images are never replaced, nor the text beside them', () => {
  const messages = conversation(
    call('a'),
    user({
      type: 'tool_result',
      tool_use_id: 'a',
      content: [image, { type: 'text', text: chars(250_000) }],
    }),
  );

  expect(apply({ messages }).messages).toBe(messages);
});

test('a result of several texts is stored as one', () => {
  const parts = [chars(150_000), chars(100_000)];
  const messages = conversation(
    call('a'),
    user({
      type: 'tool_result',
      tool_use_id: 'a',
      content: parts.map((text) => ({ type: 'text', text })),
    }),
  );

  expect(apply({ messages }).fresh[0]?.original).toBe(parts.join('\n'));
});

test('Read is not sent to a file that it would have to read again', () => {
  expect(replacedIds(conversation(parallel([150_000, 140_000], 'Read')))).toEqual([]);
});

test('a text that is stored already, has no place, or would get longer stays', () => {
  const stored = `<persisted-output>${chars(1_000)}`;
  const messages = conversation(
    call('stored'),
    result('stored', stored),
    result('short', chars(900)),
    result('empty', undefined),
    answer('done'),
  );

  expect(replacedIds(messages, { limitChars: 100 })).toEqual([]);
  expect(replacedIds(conversation(parallel([250_000])), { placeFor: () => null })).toEqual([]);
});
