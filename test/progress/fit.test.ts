import { cutEnd, cutStart, fold } from '../../src/progress/fit';
import { fitLine } from '../../src/progress/fit-line';

/** Two columns for a wide character or an emoji of several code points, as a terminal counts. */
const SEGMENTER = new Intl.Segmenter();
const widthOf = (text: string): number =>
  [...SEGMENTER.segment(text)].reduce(
    (sum, { segment }) =>
      sum + (/[\p{Script=Han}\p{Extended_Pictographic}]/u.test(segment) ? 2 : 1),
    0,
  );

test.each([
  ['as it is', 8, 'as it is'],
  ['too long for it', 8, 'too lon…'],
  ['日本語です', 5, '日本…'],
  ['日本語です', 4, '日…'],
  ['a👩‍👩‍👧b', 3, 'a…'],
  ['nothing fits', 0, ''],
])('"%s" in %d columns is "%s"', (text, columns, cut) => {
  expect(cutEnd(text, columns, widthOf)).toBe(cut);
});

test('of a path the end stays', () => {
  expect(cutStart('/home/ada/projects/engine', 12, widthOf)).toBe('…ects/engine');
});

test('text is folded between words, and where there are none, anywhere', () => {
  expect(fold('the quick brown fox', 10, widthOf)).toEqual(['the quick', 'brown fox']);
  expect(fold('abcdefghijkl', 5, widthOf)).toEqual(['abcde', 'fghij', 'kl']);
  expect(fold('日本語', 1, widthOf)).toEqual(['日', '本', '語']);
});

describe('a line of progress', () => {
  const line = { head: 'turn 3', body: '12s Bash npm run test:all', tail: 'context 14 % · 1m 05s' };

  test('is whole where there is room', () => {
    expect(fitLine(line, 80, widthOf)).toBe(
      'turn 3 · 12s Bash npm run test:all · context 14 % · 1m 05s',
    );
  });

  test('gives up its body first, then its tail, and is never wider', () => {
    expect(fitLine(line, 50, widthOf)).toBe('turn 3 · 12s Bash npm run… · context 14 % · 1m 05s');
    expect(fitLine(line, 36, widthOf)).toBe('turn 3 · 12s Bash npm run test:all');
    for (let columns = 1; columns < 80; columns += 1) {
      expect(widthOf(fitLine(line, columns, widthOf))).toBeLessThanOrEqual(columns);
    }
  });
});
