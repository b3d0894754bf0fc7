import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { storeHash } from '../transcript/place';

/** What a query waits for, and how the server finds such queries. */
const KINDS = {
  approval: 'awaiting-approval',
  answer: 'awaiting-answer',
  resume: 'paused',
  workspace: 'awaiting-workspace',
} as const;

/** How often the server is asked. Prometheus seldom looks more often. */
const LOOK_MS = 15_000;

/** A gauge of the queries of a store that wait for people, or for a Worker of their workspace. It is asked of the server: what a process has counted
 *  itself would be wrong after its first crash. Absent where the server does not know our search attributes.
 *  Returns what ends it. */
export function gaugeWaiting(of: {
  readonly client: Pick<Client, 'workflow'>;
  readonly place: string;
  readonly meter: MetricMeter;
}): () => void {
  const { client, place, meter } = of;
  const waiting = meter.createGauge(
    'everloop_queries_waiting',
    'int',
    '',
    'Queries that wait for people or for a Worker of their workspace, by what they wait for.',
  );
  const look = async (): Promise<void> => {
    for (const [kind, status] of Object.entries(KINDS)) {
      const { count } = await client.workflow.count(
        `WorkflowId STARTS_WITH '${storeHash(place)}-' AND EverloopStatus = '${status}' AND ExecutionStatus = 'Running'`,
      );
      waiting.set(count, { kind });
    }
  };
  // A server that is away is looked for again; it is others who complain of it.
  const tryToLook = (): void => void look().catch(() => undefined);
  tryToLook();
  const timer = setInterval(tryToLook, LOOK_MS).unref();
  return () => clearInterval(timer);
}
