import { parseCommand } from '../../src/cli/parse-command';

const parse = (...args: readonly string[]) => parseCommand(['show', 'abc', ...args], '1');

test('show --html asks for a page, in a file of its own name or another', () => {
  expect(parse('--html')).toMatchObject({ page: { output: null, force: false } });
  expect(parse('--html', '--output', '-', '--force')).toMatchObject({
    page: { output: '-', force: true },
  });
  expect(parse()).not.toHaveProperty('page');
});

test('options that do not go together are refused', () => {
  expect(() => parse('--html', '--json')).toThrow('choose one');
  expect(() => parse('--output', 'a.html')).toThrow('add it');
});
