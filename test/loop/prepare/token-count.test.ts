import { tokenCount, uncountedTokens } from '../../../src/loop/prepare/token-count';
import { NO_USAGE } from '../../../src/loop/usage';
import { answer, call, chars, conversation, counted, result, said } from './builders';

test('no usage: everything is estimated, and nothing is subtracted', () => {
  const messages = conversation(said(chars(300)), answer(chars(300)));

  expect(tokenCount(messages, 50)).toBe(200);
});

test('the last reply counts for everything before it: input, caches and output', () => {
  const usage = {
    input_tokens: 1_000,
    cache_read_input_tokens: 200,
    cache_creation_input_tokens: 30,
    output_tokens: 4,
  };
  const messages = conversation(
    said(chars(90_000)),
    answer('old', 'a', counted(7)),
    said('more'),
    answer(chars(90_000), 'b', usage),
    said(chars(300)),
  );

  expect(tokenCount(messages)).toBe(1_234 + 100);
});

test('results between the blocks of one reply are estimated, its own blocks are in its usage', () => {
  const usage = counted(1_000);
  const messages = conversation(
    said('go'),
    call('1', 'Bash', chars(900), 'a', usage),
    result('1', chars(300)),
    call('2', 'Bash', chars(900), 'a', usage),
    result('2', chars(600)),
  );

  expect(tokenCount(messages)).toBe(1_000 + 300);
});

test('the reply before, and the same id further back, are another reply', () => {
  const messages = conversation(
    answer('x', 'same', counted(1)),
    said(chars(300)),
    answer('x', 'other', counted(2)),
    answer('x', 'same', counted(5_000)),
  );

  expect(tokenCount(messages)).toBe(5_000);
});

test('the usage that its last block knows is the one of a reply', () => {
  const messages = conversation(
    answer('x', 'a', { ...NO_USAGE, output_tokens: 1 }),
    answer('x', 'a', { ...NO_USAGE, output_tokens: 900 }),
  );

  expect(tokenCount(messages)).toBe(900);
});

test('a reply that does not say what it cost is estimated behind the one that does', () => {
  const messages = conversation(
    said(chars(90_000)),
    answer('x', 'a', counted(1_000)),
    answer(chars(300), 'b'),
  );

  expect(tokenCount(messages)).toBe(1_000 + 100);
});

test('a reply without an id stands alone', () => {
  const messages = conversation(said('x'), answer('x', null, counted(40)), answer(chars(300)));

  expect(tokenCount(messages)).toBe(140);
});

test('what was freed is subtracted from the usage, never below nothing', () => {
  const messages = conversation(answer('x', 'a', counted(1_000)), said(chars(300)));

  expect(tokenCount(messages, 400)).toBe(700);
  expect(tokenCount(messages, 4_000)).toBe(100);
});

test('a reduction counts until a reply has come that knows of it', () => {
  const before = conversation(said('x'), answer('x', 'a', counted(9)), said('y'));
  const after = conversation(
    said('x'),
    answer('x', 'a', counted(9)),
    said('y'),
    answer('x', 'b', counted(5)),
  );
  const made = [{ tokensFreed: 40, madeAfter: 'm2' }];

  expect(uncountedTokens(before, made)).toBe(40);
  expect(uncountedTokens(after, made)).toBe(0);
  expect(uncountedTokens(before, [{ tokensFreed: 40, madeAfter: 'elsewhere' }])).toBe(0);
  expect(uncountedTokens(conversation(said('x')), made)).toBe(0);
});
