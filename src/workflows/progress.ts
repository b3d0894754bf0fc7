import { workflowInfo } from '@temporalio/workflow';
import type { AutoCompactTracking } from '../loop/auto-compact-tracking';
import { Counters } from '../loop/counters';
import type { LoopDeps } from '../loop/deps';
import type { LoopEvent } from '../loop/events';
import { Tally } from '../loop/tally';
import type { QueryCarry } from './interface';
import { LoopMetrics } from './loop-metrics';

/** What an observer can ask about a running query, and what its result is made of. */
export interface Progress {
  tally: Tally;
  counters: Counters;
  transition: string | null;
  /** The model that replied last; null: none has in this run. */
  model: string | null;
  tracking: AutoCompactTracking | null;
  readonly metrics: LoopMetrics;
}

export function startProgress(carry: QueryCarry | null): Progress {
  const startedAtMs = workflowInfo().startTime.getTime();
  const counters = carry?.counters ?? {
    ...Counters.start(startedAtMs),
    // An older build counted nothing else.
    iterations: carry?.iterations ?? 0,
  };
  return {
    tally: carry?.tally ?? Tally.start(startedAtMs),
    counters,
    transition: carry?.state.transition?.reason ?? null,
    model: carry?.state.toolUseContext.model ?? null,
    tracking: carry?.state.autoCompactTracking ?? null,
    metrics: new LoopMetrics(counters),
  };
}

export function see(progress: Progress, event: LoopEvent): void {
  progress.tally = Tally.after(progress.tally, event);
  progress.counters = Counters.after(progress.counters, event, Date.now());
  progress.metrics.see(event, progress.counters);
  if (event.type === 'assistant') progress.model = event.reply.model;
  if (event.type === 'transition') {
    progress.transition = event.state.transition?.reason ?? null;
    progress.tracking = event.state.autoCompactTracking;
  }
  if (event.type === 'end') progress.tracking = event.autoCompactTracking ?? progress.tracking;
}

/** The same effects, with the time that tools take counted. */
export function counted(deps: LoopDeps, progress: Progress): LoopDeps {
  return {
    ...deps,
    runTool(call) {
      const startedAtMs = Date.now();
      return deps.runTool(call).then((outcome) => {
        progress.counters = Counters.afterTool(progress.counters, startedAtMs, Date.now());
        return outcome;
      });
    },
  };
}
