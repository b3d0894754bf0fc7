import type { temporal } from '@temporalio/proto';
import type { Check } from './check';

type History = temporal.api.history.v1.IHistory;

/** Whether the Event History tells the same story: two processes, and one attempt handed over. */
export function checkHistory(history: History): readonly Check[] {
  const workers = workersOf(history);
  const handedOver = attemptsOf(history).filter((attempt) => attempt > 1).length;
  return [
    {
      claim: `two Workers are in the Event History: ${workers.join(', ')}`,
      problem: workers.length === 2 ? null : `${workers.length} of them`,
    },
    {
      claim: 'one Activity was handed over, all others ran once',
      problem: handedOver === 1 ? null : `${handedOver} were`,
    },
  ];
}

function workersOf({ events }: History): readonly string[] {
  const identities = (events ?? []).flatMap((event) => [
    event.workflowTaskStartedEventAttributes?.identity,
    event.activityTaskStartedEventAttributes?.identity,
  ]);
  return [...new Set(identities.filter((identity) => typeof identity === 'string'))];
}

function attemptsOf({ events }: History): readonly number[] {
  return (events ?? []).flatMap(
    ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
  );
}
