import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { PLACED } from '../../src/workflows/activity-options';
import { ServingHost, servingQueueOf } from '../../src/workflows/serving-host';

const refusal = (type: string, ...details: readonly unknown[]): ActivityFailure =>
  new ActivityFailure(
    undefined,
    'runTool',
    'call',
    'NON_RETRYABLE_FAILURE',
    'alpha',
    ApplicationFailure.create({ type, details: [...details] }),
  );

afterEach(() => jest.useRealTimers());

test('until it is found who serves the session, anybody may take its calls', () => {
  const host = ServingHost.known(undefined);
  const before = host.where;

  host.found('beta');

  expect(before).toEqual({});
  expect(host.where).toMatchObject({ taskQueue: 'beta', scheduleToStartTimeout: '3s' });
});

test('a refusal names the queue of the host that serves the session; other failures name none', () => {
  const others = [refusal('Tool.Failed', 'beta'), refusal('Session.OnAnotherHost', 7), new Error()];

  expect(servingQueueOf(refusal('Session.OnAnotherHost', 'beta'))).toBe('beta');
  expect(others.map(servingQueueOf)).toEqual([null, null, null]);
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

test('a host that another call has found meanwhile is kept', () => {
  const host = ServingHost.known('alpha');
  host.found('beta');

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
