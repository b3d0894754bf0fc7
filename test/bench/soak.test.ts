import { parseSoakOptions } from '../../src/bench/soak/options';
import { tableHead, tableLine, toSummary } from '../../src/bench/soak/table';
import type { Stretch } from '../../src/bench/soak/stretch';

const stretch = (changes: Partial<Stretch>): Stretch => ({
  turn: 500,
  turnMs: { median: 20, p95: 30 },
  workerMB: 250,
  serverMB: 200,
  carried: { state: 700, input: 2_100 },
  compactions: 4,
  rollovers: 12,
  perTurn: { events: 12, bytes: 2_200 },
  requestKB: 300,
  ...changes,
});

test('without options it is ten thousand turns, with figures every five hundred', () => {
  expect(parseSoakOptions([])).toEqual({ turns: 10_000, every: 500, json: null });
});

test.each([
  [['--turns', 'many'], '--turns many must be a whole number'],
  [['--every', '0'], '--every 0 must be a whole number'],
])('%j is refused with the reason', (args, reason) => {
  expect(() => parseSoakOptions(args)).toThrow(reason);
});

test('a line has its figures under their titles, also before the first rollover', () => {
  const head = tableHead();

  const line = tableLine(stretch({ carried: null, perTurn: null, rollovers: 0 }));

  expect(line).toHaveLength(head.length);
  expect(line.indexOf('500') + '500'.length).toBe(head.indexOf('turn') + 'turn'.length);
});

test('the summary says what grew from the first line to the last', () => {
  const last = stretch({ turn: 1_000, turnMs: { median: 22, p95: 40 }, workerMB: 260 });

  const summary = toSummary([stretch({}), last], 30);

  expect(summary).toContain('1.10 (22.0 ms / 20.0 ms)');
  expect(summary).toContain('250 MB at turn 500, 260 MB at turn 1000');
  expect(summary).toContain('Largest State: 700 bytes.');
});

test('a soak that is stopped at once says so', () => {
  expect(toSummary([], 1)).toBe('Stopped before the first figures.');
});
