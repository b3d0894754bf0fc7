import { lineOf } from '../../src/settings/json-place';

const TEXT = `{
  "a": {"x": 1,
    "y": [
      1,
      {"z": true}
    ]},
  "b": "}, \\"c\\": [",
  "c": null,
  "a\\u0062": 7
}`;

test.each([
  [[], 1],
  [['a'], 2],
  [['a', 'y'], 3],
  [['a', 'y', 0], 4],
  [['a', 'y', 1, 'z'], 5],
  [['b'], 7],
  [['c'], 8],
  [['ab'], 9],
  [['a', 'nothing'], 2],
  [['nothing', 'at', 'all'], 1],
])('%j stands on line %i', (path, line) => {
  expect(lineOf(TEXT, path)).toBe(line);
});

test('of two members of one name the last counts, as JSON.parse has it', () => {
  expect(lineOf('{"a": 1,\n"a": 2}', ['a'])).toBe(2);
});
