import fc from 'fast-check';
import { redact } from '../../src/redact/redact';
import { HARMLESS, PLACED, SECRETS } from './secrets';

test.each(SECRETS)('%s goes, wherever it stands', (_what, secret) => {
  const around = [`say ${secret} now`, `x="${secret}"`, `(${secret})`, secret, `a: ${secret}, b`];

  const redacted = around.map(redact);

  for (const text of redacted) expect(text).not.toContain(secret.slice(0, 30));
  expect(redacted[0]).toMatch(/^say \[redacted\]/);
});

test.each(PLACED)('in %j the secret goes and the rest stays', (text, secret) => {
  const redacted = redact(text);

  expect(redacted).not.toContain(secret);
  expect(redacted).toContain('[redacted]');
  expect(redacted.slice(0, 4)).toBe(text.slice(0, 4));
});

test.each(HARMLESS)('%j stays as it is', (text) => {
  expect(redact(text)).toBe(text);
});

const anySecret = fc.constantFrom(...SECRETS.map(([, secret]) => secret));
const separator = fc.constantFrom(' ', '\n', '"', "'", ', ', ' | ', '; ');

test('between any texts a secret goes', () => {
  fc.assert(
    fc.property(fc.string(), separator, anySecret, separator, fc.string(), (...parts) => {
      expect(redact(parts.join(''))).not.toContain(parts[2]);
    }),
    { numRuns: 2_000 },
  );
});

test('what is redacted stays as it is', () => {
  const placed = fc.constantFrom(...PLACED.map(([text]) => text));
  const anyText = fc.array(fc.oneof(fc.lorem(), anySecret, placed), { maxLength: 8 });
  fc.assert(
    fc.property(anyText, (parts) => {
      const once = redact(parts.join(' '));
      expect(redact(once)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  'a',
  'A1a',
  'KEY',
  'TOKEN=',
  '"',
  '=',
  '-----BEGIN PRIVATE KEY-----',
  'eyJ',
  'a.',
  'a-',
  'https://a:',
  'curl -u ',
  'mysql ',
  'authorization: ',
  'cookie:',
  '--password ',
  'x:',
  '?key=',
  'bearer ',
  'M'.repeat(23),
  'aZ3-',
])('20,000 repetitions of %j take seconds at most', (part) => {
  const text = part.repeat(20_000);
  const startedAtMs = performance.now();

  redact(text);

  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});
