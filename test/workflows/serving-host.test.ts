import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { PLACED } from '../../src/workflows/activity-options';
import { ServingHost } from '../../src/workflows/serving-host';

const refusal = (type: string, ...details: readonly unknown[]): ActivityFailure =>
  new ActivityFailure(
    undefined,
    'runTool',
    'call',
    'NON_RETRYABLE_FAILURE',
    'alpha',
    ApplicationFailure.create({ type, details: [...details] }),
  );
const named = (queue: string): ActivityFailure => refusal('Session.OnAnotherHost', queue);

afterEach(() => jest.useRealTimers());

test('until a refusal names the host that serves the session, anybody may take its calls', () => {
  const host = ServingHost.known(undefined);
  const before = host.where;

  const isLearnt = host.learn(named('beta'));

  expect(before).toEqual({});
  expect(isLearnt).toBe(true);
  expect(host.where).toMatchObject({ taskQueue: 'beta', scheduleToStartTimeout: '3s' });
});

test('what fails for another reason teaches nothing', () => {
  const host = ServingHost.known('alpha');

  const learnt = [refusal('Tool.Failed', 'beta'), refusal('Session.OnAnotherHost', 7), new Error()];

  expect(learnt.map((failure) => host.learn(failure))).toEqual([false, false, false]);
  expect(host.taskQueue).toBe('alpha');
});

test('a host that takes nothing is avoided for a minute: refusals are tried again by the server', () => {
  jest.useFakeTimers();
  const host = ServingHost.known('alpha');
  const usual = host.retry;

  host.missed('alpha');
  const [where, soon] = [host.where, host.retry];
  jest.advanceTimersByTime(60_000);

  expect(usual).toBe(PLACED);
  expect([where, soon]).toEqual([{}, {}]);
  expect(host.retry).toBe(PLACED);
});

test('a host that another call has learnt of meanwhile is kept', () => {
  const host = ServingHost.known('alpha');
  host.learn(named('beta'));

  host.missed('alpha');

  expect(host.taskQueue).toBe('beta');
});

test('a move forgets the host', () => {
  const host = ServingHost.known('alpha');
  host.missed('alpha');

  host.forget();

  expect(host.where).toEqual({});
  expect(host.retry).toBe(PLACED);
});
