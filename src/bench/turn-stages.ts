import { activitySpans } from './activity-span';
import { wallClockOffsetMs } from './clock';
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

/** Joins history and arrivals: server, Worker and model run on one machine, so their clocks differ by the offset
 *  between wall clock and monotonic clock only. A turn with a compaction is left out: it has more stages. */
export function stagesOf({ chain, arrivals, turns }: TurnRun): readonly TurnStages[] {
  const spans = activitySpans(chain.history, wallClockOffsetMs());
  const calls = spans.filter(({ name }) => name === 'callModel');
  const tools = spans.filter(({ name }) => name === 'runTool');
  const asking = arrivals.map(({ beganAtMs }) =>
    calls.findIndex(({ completedAtMs }) => completedAtMs >= beganAtMs),
  );
  return Array.from({ length: turns }, (_, index) => {
    const [at = -1, nextAt = -1] = [asking[index], asking[index + 1]];
    const [call, next] = [calls[at], calls[nextAt]];
    const [tool, arrival] = [tools[index], arrivals[index]];
    if (!call || !next || !tool || !arrival || nextAt !== at + 1) return [];
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
