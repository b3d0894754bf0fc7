import fc from 'fast-check';
import { findJsonError } from '../../src/settings/json-error';

test.each([
  ['{"a":}', 1, 6],
  ['{\n  "a": 1,\n}', 3, 1],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a": [1, 2}', 1, 12],
  ['{"a": tru}', 1, 7],
  ['{"a": "\n"}', 1, 7],
  ['{} x', 1, 4],
  ['{"a": 1', 1, 8],
  ["{'a': 1}", 1, 2],
  ['', 1, 1],
])('%j goes wrong at line %i, column %i', (text, line, column) => {
  expect(findJsonError(text)).toEqual({ line, column });
});

test('what JSON.parse accepts has no error, and nothing else', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '\\',
    '1',
    '-',
    '.5',
    'e3',
    'null',
    ' ',
    '\n',
    'x',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.array(pieces).map((list) => list.join('')),
      ),
      (text) => {
        return (findJsonError(text) === undefined) === isJson(text);
      },
    ),
  );
});
