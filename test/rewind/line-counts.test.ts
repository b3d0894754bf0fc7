import fc from 'fast-check';
import { lineCounts } from '../../src/checkpoints/line-counts';

const count = (before: string | null, after: string | null) =>
  lineCounts(
    before === null ? null : Buffer.from(before),
    after === null ? null : Buffer.from(after),
  );

test.each([
  ['the same text', 'a\nb\n', 'a\nb\n', 0, 0],
  ['a new file', null, 'a\nb\n', 2, 0],
  ['a file that goes', 'a\nb\n', null, 0, 2],
  ['one line changed', 'a\nb\nc\n', 'a\nB\nc\n', 1, 1],
  ['changes far apart', 'a\nb\nc\nd\ne\n', 'A\nb\nc\nd\nE\n', 2, 2],
  ['lines added at both ends', 'b\n', 'a\nb\nc\n', 2, 0],
  ['bytes that are no text', 'a\0b', 'c', 0, 0],
])('%s', (_, before, after, insertions, deletions) => {
  expect(count(before, after)).toEqual({ insertions, deletions });
});

test('both counts agree with the lengths of both texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const toText = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

      const { insertions, deletions } = count(toText(old), toText(now));

      expect(insertions - deletions).toBe(now.length - old.length);
      expect(deletions).toBeLessThanOrEqual(old.length);
      expect(insertions === 0 && deletions === 0).toBe(old.join() === now.join());
    }),
  );
});
