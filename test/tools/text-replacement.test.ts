import fc from 'fast-check';
import { replaceText } from '../../src/tools/text-replacement';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const marked = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).map((s) => `«${s}»`);

test('what stands around a unique text is kept as it is', () => {
  fc.assert(
    fc.property(text, text, marked, text, (before, after, old_string, new_string) => {
      fc.pre(!/[«»\r]/.test(before + after + old_string.slice(1, -1) + new_string));

      const replaced = replaceText(before + old_string + after, { old_string, new_string });

      expect(replaced).toEqual({ type: 'replaced', text: before + new_string + after, count: 1 });
    }),
  );
});

test('a file with CRLF has only CRLF afterwards', () => {
  const lines = fc.array(fc.stringMatching(/^[a-z]{0,4}$/), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(lines, lines, (around, replacement) => {
      const file = [...around, 'OLD', 'TEXT', ...around].join('\r\n');

      const replaced = replaceText(file, {
        old_string: 'OLD\nTEXT',
        new_string: replacement.join('\n'),
      });

      const expected = [...around, ...replacement, ...around].join('\r\n');
      expect(replaced).toEqual({ type: 'replaced', text: expected, count: 1 });
    }),
  );
});

test('a text that occurs more than once is only replaced when all of it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9 }), marked, (count, old_string) => {
      const file = Array.from({ length: count + 1 }, () => '-').join(old_string);

      const one = replaceText(file, { old_string, new_string: '+' });
      const all = replaceText(file, { old_string, new_string: '+', replace_all: true });

      expect(one).toEqual({ type: 'not_unique', count });
      expect(all).toEqual({ type: 'replaced', text: `${'-+'.repeat(count)}-`, count });
    }),
  );
});

test('in a file of mixed line ends the text is found with either, and the rest stays', () => {
  const replaced = replaceText('a\r\nb\r\nc\r\nd\ne\nf', {
    old_string: 'd\ne',
    new_string: 'x\ny',
  });

  expect(replaced).toEqual({ type: 'replaced', text: 'a\r\nb\r\nc\r\nx\ny\nf', count: 1 });
});
