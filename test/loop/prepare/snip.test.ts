import { barelyTokens } from '../../../src/loop/prepare/estimate-tokens';
import { applySnips, snip, type SnipInput } from '../../../src/loop/prepare/snip';
import {
  answer,
  chars,
  conversation,
  result,
  round,
  rounds,
  said,
  textOf,
  uuids,
} from './builders';

const cut = (messages: SnipInput['messages'], changes: Partial<SnipInput> = {}) =>
  snip({ messages, tokensToFree: 1, leastTokens: 0, kept: new Set(), ...changes });

test('the oldest rounds go first, and no more than needed', () => {
  const messages = conversation(said('go'), rounds(14, chars(4_000)));

  const snipped = cut(messages, { tokensToFree: 1_500 });

  expect(snipped?.snip.removed).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(uuids(snipped?.messages ?? [])).toEqual(['m0', 'snip-m1', ...uuids(messages.slice(5))]);
});

test('a round that frees just enough is the last that goes', () => {
  const messages = conversation(said('go'), rounds(14, chars(4_000)));
  const tokensOfOne = barelyTokens(messages.slice(1, 3));

  expect(cut(messages, { tokensToFree: tokensOfOne })?.snip.removed).toHaveLength(2);
  expect(cut(messages, { tokensToFree: tokensOfOne + 1 })?.snip.removed).toHaveLength(4);
});

test('the text that tells of it is a user message, so that roles go on alternating', () => {
  const messages = conversation(said('go'), rounds(11, chars(4_000)));

  expect(cut(messages)?.messages[1]).toMatchObject({ uuid: 'snip-m1', role: 'user' });
});

test('a text tells what is missing', () => {
  const messages = conversation(
    said('go'),
    round('a', chars(4_000), 'Read'),
    round('b', chars(4_000), 'Read'),
    rounds(11, chars(4_000)),
  );

  const text = textOf(cut(messages, { tokensToFree: 2_500 })?.messages[1]);

  expect(text).toContain('3 earlier rounds');
  expect(text).toContain('Read ×2, Bash ×1');
  expect(cut(messages)?.snip.boundaryText).toContain('1 earlier round of');
});

test('the ten newest rounds stay', () => {
  expect(cut(conversation(said('go'), rounds(10, chars(4_000))))).toBeNull();
  expect(
    cut(conversation(said('go'), rounds(11, chars(4_000))), { tokensToFree: 9e9 })?.snip.removed,
  ).toEqual(['m1', 'm2']);
});

test('what users said and what was answered without a tool stays', () => {
  const messages = conversation(
    said('go'),
    round('a', chars(4_000)),
    answer('An answer.'),
    said('And now?'),
    round('b', chars(4_000)),
    said('Thanks.'),
    rounds(10, 'x'),
  );

  const snipped = cut(messages, { tokensToFree: 9e9 });

  expect(snipped?.snip.removed).toEqual(['m1', 'm2', 'm5', 'm6']);
  expect(snipped?.messages.slice(0, 5).map(textOf)).toEqual([
    'go',
    snipped?.snip.boundaryText,
    'An answer.',
    'And now?',
    'Thanks.',
  ]);
});

test('the first user message stays even if it is a result', () => {
  expect(cut(conversation(rounds(12, chars(4_000))), { tokensToFree: 9e9 })?.snip.removed).toEqual([
    'm2',
    'm3',
  ]);
});

test('messages that have to stay keep their round', () => {
  const messages = conversation(said('go'), rounds(12, chars(4_000)));

  expect(cut(messages, { kept: new Set(['m2']) })?.snip.removed).toEqual(['m3', 'm4']);
});

test('too little is not worth it', () => {
  const messages = conversation(said('go'), rounds(11, chars(4_000)));

  expect(cut(messages, { leastTokens: 1_000 })).toBeNull();
  const freed = cut(messages)?.snip.tokensFreed ?? 0;
  expect(freed).toBeGreaterThan(900);
  expect(cut(messages, { leastTokens: freed })).not.toBeNull();
  expect(cut(messages, { leastTokens: freed + 1 })).toBeNull();
});

test('a recorded snip gives the same bytes over the longer conversation', () => {
  const drafts = [said('go'), rounds(14, chars(4_000))];
  const snipped = cut(conversation(...drafts), { tokensToFree: 1_500 });
  const later = conversation(...drafts, answer('more'), result('x', 'y'));

  const view = applySnips(later, [snipped!.snip]);

  expect(view.slice(0, snipped?.messages.length)).toEqual(snipped?.messages);
  expect(view.slice(-2)).toEqual(later.slice(-2));
});

test('snips of another branch do nothing', () => {
  const messages = conversation(said('go'));
  const made = { removed: ['gone'], boundaryText: 'x', tokensFreed: 1, madeAfter: 'gone' };

  expect(applySnips(messages, [made])).toBe(messages);
});

test('nothing is snipped from nothing', () => {
  expect(cut([])).toBeNull();
});
