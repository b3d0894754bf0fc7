import { fromName, nameOf, type Kill } from '../../src/crash-test/kill';
import { planKills, type KillChoice } from '../../src/crash-test/kill-plan';

const TARGETS = {
  failpoints: Array.from({ length: 25 }, (_, index) =>
    index % 2 === 0 ? 'disk.sync' : 'tool.ran',
  ),
  events: { session: 12, 'query-1': 30 },
  durationMs: 1_000,
};
const ALL: KillChoice = {
  every: 1,
  failpoints: true,
  events: true,
  random: 5,
  seed: 7,
  only: null,
};

test('every failpoint, every event of every Workflow and each random moment is a kill', () => {
  const kills = planKills(TARGETS, ALL);

  const count = (type: Kill['type']): number => kills.filter((kill) => kill.type === type).length;
  expect([count('failpoint'), count('event'), count('moment')]).toEqual([25, 42, 5]);
  expect(kills).toContainEqual({ type: 'event', workflow: 'query-1', number: 30 });
});

test('every tenth means every tenth failpoint, and every tenth event over all Workflows', () => {
  const kills = planKills(TARGETS, { ...ALL, every: 10, random: 0 });

  expect(kills.map(nameOf)).toEqual([
    'failpoint:tool.ran:5',
    'failpoint:tool.ran:10',
    'event:session:10',
    'event:query-1:8',
    'event:query-1:18',
    'event:query-1:28',
  ]);
});

test('a seed gives the same moments each time, all within the run; another seed gives others', () => {
  const moments = (seed: number): readonly Kill[] =>
    planKills(TARGETS, { ...ALL, failpoints: false, events: false, random: 50, seed });

  expect(moments(7)).toEqual(moments(7));
  expect(moments(8)).not.toEqual(moments(7));
  for (const kill of moments(7)) expect(kill).toMatchObject({ type: 'moment' });
  expect(moments(7).every((kill) => kill.type === 'moment' && kill.afterMs < 1_000)).toBe(true);
});

test.each([
  'failpoint:17',
  'failpoint:disk.sync.before:3',
  'event:session:3',
  'event:agent-2:12',
  'moment:0',
])('%s is read as it is written', (name) => {
  expect(nameOf(fromName(name))).toBe(name);
});

test.each(['failpoint:0', 'failpoint:tool.ran', 'event:12', 'event:query:1', 'tomorrow'])(
  '%s is refused with the three forms',
  (name) => {
    expect(() => fromName(name)).toThrow(/failpoint:tool.ran:2, event:query-1:12 or moment:350/);
  },
);
