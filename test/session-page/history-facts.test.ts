import { defaultPayloadConverter } from '@temporalio/common';
import type { HistoryEvent } from '../../src/session-page/history-event';
import { callKey, HistoryReader, type HistoryFacts } from '../../src/session-page/history-facts';

const CALL = { id: 'toolu_1', recordId: 'record-1' };
const at = (seconds: number): HistoryEvent => ({ eventTime: { seconds, nanos: 0 } as never });
const input = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });

const begun = (seconds: number): HistoryEvent => ({
  ...at(seconds),
  workflowExecutionStartedEventAttributes: {},
});
const scheduled = (eventId: number): HistoryEvent => ({
  ...at(1),
  eventId: eventId as never,
  activityTaskScheduledEventAttributes: {
    activityType: { name: 'runTool' },
    input: input({ call: CALL }),
  },
});
const started = (scheduledEventId: number, attempt: number, identity: string): HistoryEvent => ({
  ...at(1 + attempt),
  activityTaskStartedEventAttributes: {
    scheduledEventId: scheduledEventId as never,
    attempt,
    identity,
    ...(attempt > 1 && { lastFailure: { message: 'The Worker is gone.' } }),
  },
});
const signal = (seconds: number, signalName: string, value?: unknown): HistoryEvent => ({
  ...at(seconds),
  workflowExecutionSignaledEventAttributes: { signalName, input: input(value) },
});

function factsOf(...events: readonly HistoryEvent[]): HistoryFacts {
  const reader = new HistoryReader();
  for (const event of events) reader.add(event);
  return reader.toFacts();
}

test('a call that another Worker had to finish has two attempts, and the reason', () => {
  const facts = factsOf(begun(0), scheduled(5), started(5, 2, 'w-222222'));

  expect(facts.activities.get(callKey(CALL))).toEqual({
    attempts: 2,
    lastAttemptMs: 3_000,
    failure: 'The Worker is gone.',
    worker: 'w-222222',
  });
});

test('a call that is scheduled again after an answer was not repeated', () => {
  const facts = factsOf(
    begun(0),
    scheduled(5),
    started(5, 1, 'w-111111'),
    scheduled(9),
    started(9, 1, 'w-111111'),
  );

  expect(facts.activities.get(callKey(CALL))).toMatchObject({ attempts: 1, lastAttemptMs: null });
});

test('event ids of one run are not those of the next', () => {
  const rollover = { ...at(6), workflowExecutionContinuedAsNewEventAttributes: {} };
  const facts = factsOf(begun(0), scheduled(5), rollover, begun(6), started(5, 3, 'w-111111'));

  expect(facts.activities.size).toBe(0);
  expect(facts.rollovers).toEqual([6_000]);
});

test('Workers come once each, and what is no Worker does not', () => {
  const facts = factsOf(
    begun(0),
    started(5, 1, 'w-111111'),
    started(6, 1, 'history-service'),
    started(7, 1, 'w-222222'),
    started(8, 1, 'w-111111'),
  );

  expect(facts.workers.map(({ name }) => name)).toEqual(['w-111111', 'w-222222']);
});

test('a pause lasts from the first word of it to the resume, whoever passed it on', () => {
  const facts = factsOf(
    begun(0),
    signal(10, 'adjust', { paused: true }),
    signal(11, 'pause'),
    signal(12, 'adjust', { maxTurns: 3 }),
    signal(20, 'resume'),
    signal(30, 'pause'),
  );

  expect(facts.pauses).toEqual([
    { fromMs: 10_000, toMs: 20_000 },
    { fromMs: 30_000, toMs: null },
  ]);
});

test('a Workflow that was terminated does not run, whatever the store says', () => {
  expect(factsOf(begun(0)).isRunning).toBe(true);
  const end = { ...at(2), workflowExecutionTerminatedEventAttributes: {} };
  expect(factsOf(begun(0), end).isRunning).toBe(false);
});
