import { parseOptions, SECTIONS } from '../../src/bench/options';

test('without options everything is measured in full', () => {
  const { only, size, json, out } = parseOptions([]);

  expect(only).toEqual(SECTIONS);
  expect(size.turns).toEqual([10, 100, 1_000]);
  expect([json, out]).toEqual([null, null]);
});

test('parts and numbers of turns can be chosen', () => {
  const { only, size } = parseOptions(['--quick', '--only', 'disk,turns', '--turns', '3,7']);

  expect(only).toEqual(['disk', 'turns']);
  expect(size.turns).toEqual([3, 7]);
});

test.each([
  [['--only', 'speed'], 'there is no such part'],
  [['--turns', '0'], 'whole numbers from 1'],
  [['--fast'], 'Unknown option'],
])('%j is refused with the reason', (args, reason) => {
  expect(() => parseOptions(args)).toThrow(reason);
});
