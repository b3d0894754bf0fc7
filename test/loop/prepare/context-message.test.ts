import { afterLastBoundary, keepIfSame } from '../../../src/loop/prepare/context-message';
import { firstChars, lastChars } from '../../../src/loop/prepare/excerpt';
import { isPersistedOutput, persistedOutput } from '../../../src/loop/prepare/persisted-output';
import { chars } from './builders';

test('what stands behind the last compact boundary is the context', () => {
  const isBoundary = (record: string) => record === '|';

  expect(afterLastBoundary(['a', '|', 'b', '|', 'c', 'd'], isBoundary)).toEqual(['c', 'd']);
  expect(afterLastBoundary(['a', '|'], isBoundary)).toEqual([]);
});

test('a conversation without a boundary is the same object', () => {
  const records = ['a', 'b'];

  expect(afterLastBoundary(records, () => false)).toBe(records);
});

test('an excerpt never holds half of a character', () => {
  expect(firstChars('ab😀cd', 3)).toBe('ab');
  expect(firstChars('ab😀cd', 4)).toBe('ab😀');
  expect(firstChars('ab😀', 4)).toBe('ab😀');
  expect(lastChars('ab😀cd', 3)).toBe('cd');
  expect(lastChars('ab😀cd', 4)).toBe('😀cd');
  expect(lastChars('ab', 9)).toBe('ab');
});

test.each([
  ['the first', '\u{10000}'],
  ['the last', '\u{10ffff}'],
])('%s character of two halves is not halved', (_, character) => {
  expect(firstChars(`a${character}`, 2)).toBe('a');
  expect(lastChars(`${character}a`, 2)).toBe('a');
});

test('a list that lost its end is another list', () => {
  const before = ['a', 'b'];

  expect(keepIfSame(before, ['a', 'b'])).toBe(before);
  expect(keepIfSame(before, ['a'])).toEqual(['a']);
});

test('a stored text is told by size, place and its first 2,000 characters', () => {
  const wrapper = persistedOutput(`${chars(2_000)}the end`, '/place');

  expect(wrapper.split('\n')).toEqual([
    '<persisted-output>',
    'The output has 2007 characters, too many to show. All of it is in: /place',
    '',
    'The first 2000 characters:',
    chars(2_000),
    '…',
    '</persisted-output>',
  ]);
  expect(isPersistedOutput(wrapper)).toBe(true);
});

test('a text that does not begin like a stored one, or is twice as long as a preview, is none', () => {
  const beginning = '<persisted-output>';

  expect(isPersistedOutput('short')).toBe(false);
  expect(isPersistedOutput(beginning.padEnd(3_999))).toBe(true);
  expect(isPersistedOutput(beginning.padEnd(4_000))).toBe(false);
});
