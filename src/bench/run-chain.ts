import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** All runs of one Workflow, from the first over every Continue-As-New. */
export interface RunChain {
  readonly runs: number;
  readonly events: number;
  /** As the server counts them (`historySizeBytes`). */
  readonly bytes: number;
  readonly history: readonly HistoryEvent[];
}

export async function readRunChain(client: Client, workflowId: string): Promise<RunChain> {
  const newest = await client.workflow.getHandle(workflowId).describe();
  let runId = newest.raw.workflowExecutionInfo?.firstRunId ?? newest.runId;
  const chain = { runs: 0, events: 0, bytes: 0, history: [] as HistoryEvent[] };
  for (;;) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [{ historyLength, historySize }, { events }] = await Promise.all([
      handle.describe(),
      handle.fetchHistory(),
    ]);
    chain.runs += 1;
    chain.events += historyLength;
    chain.bytes += historySize ?? 0;
    chain.history.push(...(events ?? []));
    const next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
    if (!next?.newExecutionRunId) return chain;
    runId = next.newExecutionRunId;
  }
}

/** What each turn added: from the event that schedules its `firstActivity` up to the next such event. What comes
 *  before the first and from the last one on (start, final reply, end) belongs to no turn. */
export function perTurn(
  { history }: RunChain,
  firstActivity: string,
): readonly { readonly events: number; readonly bytes: number }[] {
  const turns: { events: number; bytes: number }[] = [];
  for (const event of history) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === firstActivity) turns.push({ events: 0, bytes: 0 });
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    turn.events += 1;
    turn.bytes += sizeOf(event);
  }
  return turns.slice(0, -1);
}

/** A stored event has a tag and its length in front. */
function sizeOf(event: HistoryEvent): number {
  const { length } = temporal.api.history.v1.HistoryEvent.encode(event).finish();
  return length + (length < 128 ? 2 : 3);
}
