// Needs: a Temporal server (started by the run).
import { loadConfig } from '../../src/config';
import { pollerOptions, shutdownOptions, slotOptions } from '../../src/temporal/worker-capacity';
import { withDurable } from '../support/durable';
import { call, calls, says } from '../support/replies';

const configOf = (env: Readonly<Record<string, string>>) => loadConfig(env, '/home/ann');

test('by default a Worker has what the SDK gives it, and 1 s of grace', () => {
  const config = configOf({});

  expect(slotOptions(config, null)).toEqual({ maxConcurrentActivityTaskExecutions: 100 });
  expect(pollerOptions(config)).toEqual({});
  expect(shutdownOptions(config)).toEqual({ shutdownGraceTime: 1_000, shutdownForceTime: 10_000 });
});

test('a number of slots and a grace are taken as they are', () => {
  const config = configOf({ EVERLOOP_ACTIVITY_SLOTS: '7', EVERLOOP_GRACE_MS: '6000' });

  expect(slotOptions(config, null)).toEqual({ maxConcurrentActivityTaskExecutions: 7 });
  expect(shutdownOptions(config)).toEqual({ shutdownGraceTime: 6_000, shutdownForceTime: 15_000 });
});

test.each(['0', '-1', 'many', '1.5', '100000'])('%s slots are refused', (slots) => {
  expect(() => configOf({ EVERLOOP_ACTIVITY_SLOTS: slots })).toThrow(
    `EVERLOOP_ACTIVITY_SLOTS is "${slots}", but must be a whole number of slots, 1 to 99999, or auto.`,
  );
});

test('a Worker with slots by resources and as many pollers as help does its work', () =>
  withDurable(
    {
      script: [calls(call('Bash', { command: 'echo here' })), says('Done.')],
      env: { EVERLOOP_ACTIVITY_SLOTS: 'auto', EVERLOOP_POLLERS: 'auto' },
    },
    async (durable) => {
      const result = await durable.ask('Work.');

      expect(result).toMatchObject({ subtype: 'success' });
    },
  ));
