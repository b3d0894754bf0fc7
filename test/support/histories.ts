import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** One run of a Workflow. */
export interface Run {
  readonly workflowId: string;
  readonly runId: string;
  readonly history: History;
}

/** Every run of the newest chain of a Workflow, oldest first. */
export async function runsOf(client: Client, workflowId: string): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let runId = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId !== '') {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs.unshift({ workflowId, runId, history });
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId = started?.continuedExecutionRunId ?? '';
  }
  return runs;
}

export const eventsOf = (runs: readonly Run[]): readonly HistoryEvent[] =>
  runs.flatMap(({ history }) => history.events ?? []);

/** What a history says, as text: payloads decoded, ids and instants as they are. */
export const plainText = (events: readonly HistoryEvent[]): string => JSON.stringify(plain(events));

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

/** Every value that crossed: inputs, results, details, summaries. */
export function payloadsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(payloadsOf);
  if (typeof value !== 'object' || value === null) return [];
  if ('metadata' in value && 'data' in value && value.data instanceof Uint8Array) {
    return value.data.length === 0 ? [] : [JSON.parse(Buffer.from(value.data).toString('utf8'))];
  }
  return value instanceof Uint8Array ? [] : Object.values(value).flatMap(payloadsOf);
}
