import { performance } from 'node:perf_hooks';
import type { temporal } from '@temporalio/proto';
import { clockMs } from './clock';
import type { TurnRun } from './turn-run';

/** Where the time of one turn goes, in order. ms. */
export interface TurnStages {
  /** callModel scheduled → first byte of its request: start of the Activity, chaining, building. */
  readonly build: number;
  /** First byte → last byte at the model. */
  readonly send: number;
  /** Last byte → answer written. */
  readonly model: number;
  /** Answer written → callModel completed: reading, committing, reporting. */
  readonly commit: number;
  /** callModel completed → runTool scheduled: a Workflow Task. */
  readonly workflowAfterModel: number;
  /** runTool scheduled → completed. */
  readonly tool: number;
  /** runTool completed → next callModel scheduled: a Workflow Task. */
  readonly workflowAfterTool: number;
}

export const STAGE_NAMES: Readonly<Record<keyof TurnStages, string>> = {
  build: 'callModel starts, chains, builds the request',
  send: 'request body on its way',
  model: 'model answers',
  commit: 'reply read, committed, reported',
  workflowAfterModel: 'Workflow Task after callModel',
  tool: 'runTool',
  workflowAfterTool: 'Workflow Task after runTool',
};

interface ActivitySpan {
  readonly name: string;
  readonly scheduledAtMs: number;
  readonly completedAtMs: number;
}

/** Joins history and arrivals: server, Worker and model run on one machine, so their clocks differ by the offset
 *  between wall clock and monotonic clock only. */
export function stagesOf({ chain, arrivals, turns }: TurnRun): readonly TurnStages[] {
  const offsetMs = performance.timeOrigin + performance.now() - clockMs();
  const spans = spansOf(chain.history, offsetMs);
  const calls = spans.filter(({ name }) => name === 'callModel');
  const tools = spans.filter(({ name }) => name === 'runTool');
  return Array.from({ length: turns }, (_, index) => {
    const [call, next] = [calls[index], calls[index + 1]];
    const [tool, arrival] = [tools[index], arrivals[index]];
    if (!call || !next || !tool || !arrival) return [];
    return [
      {
        build: arrival.beganAtMs - call.scheduledAtMs,
        send: arrival.arrivedAtMs - arrival.beganAtMs,
        model: arrival.answeredAtMs - arrival.arrivedAtMs,
        commit: call.completedAtMs - arrival.answeredAtMs,
        workflowAfterModel: tool.scheduledAtMs - call.completedAtMs,
        tool: tool.completedAtMs - tool.scheduledAtMs,
        workflowAfterTool: next.scheduledAtMs - tool.completedAtMs,
      },
    ];
  }).flat();
}

function spansOf(
  history: readonly temporal.api.history.v1.IHistoryEvent[],
  offsetMs: number,
): readonly ActivitySpan[] {
  const open = new Map<string, { readonly name: string; readonly scheduledAtMs: number }>();
  const spans: ActivitySpan[] = [];
  for (const event of history) {
    const { seconds, nanos } = event.eventTime ?? {};
    const atMs = Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1_000_000 - offsetMs;
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const name = scheduled.activityType?.name ?? '';
      open.set(String(event.eventId), { name, scheduledAtMs: atMs });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const id = String(completed?.scheduledEventId);
    const begun = completed ? open.get(id) : undefined;
    if (begun) spans.push({ ...begun, completedAtMs: atMs });
    // Event ids begin anew with each run of a chain.
    if (begun) open.delete(id);
  }
  return spans;
}
