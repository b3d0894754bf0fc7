import { steps, summarize } from '../../src/bench/summary';

test('a summary has the median of the middle two, and a p95 that was really measured', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1);

  expect(summarize(twenty.reverse())).toEqual({ count: 20, min: 1, median: 10.5, p95: 19 });
});

test('of one value, all statistics are that value', () => {
  expect(summarize([7])).toEqual({ count: 1, min: 7, median: 7, p95: 7 });
});

test('nothing measured is an error, not a zero', () => {
  expect(() => summarize([])).toThrow('nothing was measured');
});

test('steps are the distances between neighbours', () => {
  expect(steps([1, 3, 8])).toEqual([2, 5]);
});
