import { afterLastBoundary } from '../../../src/loop/prepare/context-message';
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

test('a stored text is told by size, place and its first 2,000 characters', () => {
  const wrapper = persistedOutput(`${chars(2_000)}the end`, '/place');

  expect(wrapper).toContain('2007 characters');
  expect(wrapper).toContain('/place');
  expect(wrapper).toContain(chars(2_000));
  expect(wrapper).not.toContain('the end');
  expect(isPersistedOutput(wrapper)).toBe(true);
});

test('a long text that begins like a stored one is none', () => {
  expect(isPersistedOutput(`<persisted-output>${chars(9_000)}`)).toBe(false);
});
