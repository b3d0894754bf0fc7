import fc from 'fast-check';
import { preview } from '../../src/redact/preview';

test('a text becomes one line', () => {
  expect(preview('  Fix the build.\n\nThen\ttest it. ')).toBe('Fix the build. Then test it.');
});

test('a secret goes before the text is cut: no half of it is left', () => {
  const text = `${'x '.repeat(90)} password=${'hunter2'.repeat(10)}`;

  expect(preview(text)).not.toContain('hunter');
});

test('no preview is longer than the server takes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      const short = preview(text);
      expect(short.length).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThanOrEqual(362);
    }),
    { numRuns: 2_000 },
  );
});

test('a character is shown whole or not at all', () => {
  expect(preview('🦊'.repeat(300))).toMatch(/^(?:🦊)+…$/u);
});
