import { cyclesOf } from '../../src/bench/sections/compaction';
import type { Arrival } from '../../src/bench/model/model-message';

const arrival = (index: number, followsSummary: boolean): Arrival => ({
  index,
  isSummary: false,
  followsSummary,
  beganAtMs: 0,
  arrivedAtMs: 0,
  answeredAtMs: 0,
  bodyBytes: 0,
  prefix: null,
});

test('a cycle is the turns between two compactions, without the turn that compacts', () => {
  // Requests 2, 5 and 8 are the first after a compaction; the turn before each of them holds it.
  const arrivals = Array.from({ length: 10 }, (_, index) => arrival(index, index % 3 === 2));
  const turnMs = [0, 1, 2, 3, 4, 5, 6, 7, 8];

  const cycles = cyclesOf({ arrivals, turnMs });

  expect(cycles).toEqual([
    [2, 3],
    [5, 6],
  ]);
});
