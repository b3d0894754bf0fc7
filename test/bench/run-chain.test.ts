import type { temporal } from '@temporalio/proto';
import { perTurn } from '../../src/bench/run-chain';

const scheduled = (name: string): temporal.api.history.v1.IHistoryEvent => ({
  activityTaskScheduledEventAttributes: { activityType: { name } },
});
const other: temporal.api.history.v1.IHistoryEvent = { workflowTaskStartedEventAttributes: {} };

test('a turn is what lies between two model calls; start and end belong to none', () => {
  const history = [
    other,
    scheduled('callModel'),
    other,
    scheduled('runTool'),
    scheduled('callModel'),
    other,
    scheduled('callModel'),
    other,
    other,
  ];

  const turns = perTurn({ runs: 1, events: 0, bytes: 0, inputs: [], history }, 'callModel');

  expect(turns.map(({ events }) => events)).toEqual([3, 2]);
  expect(turns[0]?.bytes).toBeGreaterThan(turns[1]?.bytes ?? 0);
});
