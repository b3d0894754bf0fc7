import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** All runs of one Workflow, from the first over every Continue-As-New. */
export interface RunChain {
  readonly runs: number;
  readonly events: number;
  /** As the server counts them (`historySizeBytes`). */
  readonly bytes: number;
  /** What each rollover handed on, as JSON. */
  readonly inputs: readonly string[];
  readonly history: readonly HistoryEvent[];
}

/** One run of a Workflow. */
export interface Run {
  readonly runId: string;
  readonly events: number;
  readonly bytes: number;
  readonly history: readonly HistoryEvent[];
  /** Where it continued as new; null: it did not, or not yet. */
  readonly next: Next | null;
}

export interface Next {
  readonly runId: string;
  /** Its input, as JSON. */
  readonly input: string;
}

/** All runs of a Workflow in order, from the given one or the first to the newest. */
export async function* runsOf(
  client: Client,
  workflowId: string,
  from?: string,
): AsyncGenerator<Run, void> {
  let runId = from ?? (await firstRunOf(client, workflowId));
  for (;;) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const { historyLength, historySize } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const history = events ?? [];
    const next = nextOf(history.at(-1));
    yield { runId, events: historyLength, bytes: historySize ?? 0, history, next };
    if (next === null) return;
    runId = next.runId;
  }
}

async function firstRunOf(client: Client, workflowId: string): Promise<string> {
  const newest = await client.workflow.getHandle(workflowId).describe();
  return newest.raw.workflowExecutionInfo?.firstRunId ?? newest.runId;
}

function nextOf(last: HistoryEvent | undefined): Next | null {
  const { newExecutionRunId, input } = last?.workflowExecutionContinuedAsNewEventAttributes ?? {};
  if (!newExecutionRunId) return null;
  const [payload] = input?.payloads ?? [];
  return { runId: newExecutionRunId, input: Buffer.from(payload?.data ?? []).toString() };
}

export async function readRunChain(client: Client, workflowId: string): Promise<RunChain> {
  const chain = {
    runs: 0,
    events: 0,
    bytes: 0,
    inputs: [] as string[],
    history: [] as HistoryEvent[],
  };
  for await (const { events, bytes, history, next } of runsOf(client, workflowId)) {
    chain.runs += 1;
    chain.events += events;
    chain.bytes += bytes;
    chain.history.push(...history);
    if (next !== null) chain.inputs.push(next.input);
  }
  return chain;
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
