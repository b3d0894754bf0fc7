import { parseCommand } from '../../src/cli/parse-command';

const parse = (...args: readonly string[]) => parseCommand(['schedule', ...args], '0.0.0');

test('a schedule has times, a prompt, and what the prompt runs with', () => {
  const when = ['--cron', '0 9 * * 1-5', '--timezone', 'Europe/Berlin'];
  const run = ['--model', 'haiku', '--setting-sources', 'project'];

  expect(parse('create', 'nightly', ...when, ...run, 'Look at the tests.')).toMatchObject({
    type: 'schedule',
    action: 'create',
    name: 'nightly',
    prompt: 'Look at the tests.',
    when: { cron: ['0 9 * * 1-5'], every: null, timezone: 'Europe/Berlin' },
    overlap: 'skip',
    catchUp: '1h',
    flags: { model: 'haiku', settingSources: ['project'] },
  });
});

test.each([
  [['create', 'a b', '--every', '1d', 'x'], 'A schedule cannot be named "a b"'],
  [['create', 'a', 'x'], 'Say when'],
  [['create', 'a', '--every', '1d'], 'needs a prompt'],
  [['create', 'a', '--every', '90', 'x'], '--every 90: give a whole number and s, m, h or d'],
  [['create', 'a', '--every', '1d', '--catch-up', 'soon', 'x'], '--catch-up soon'],
  [['create', 'a', '--every', '1d', '--resume', 'b', 'x'], '--resume cannot be scheduled'],
  [['create', 'a', '--every', '1d', '--settings', '{}', 'x'], '--settings cannot be scheduled'],
  [['pause'], 'everloop schedule pause needs a name'],
  [['burn', 'a'], 'burn'],
])('schedule %j is refused, and says why', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
