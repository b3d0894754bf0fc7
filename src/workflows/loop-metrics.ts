import { metricMeter } from '@temporalio/workflow';
import type { CompactCosts } from '../loop/compaction';
import type { Counters } from '../loop/counters';
import type { LoopEvent } from '../loop/events';
import { costOf } from '../loop/price-table';
import type { Usage } from '../loop/usage';

/** Counts what the Workflow has taken into its history: a reply that two attempts asked for counts once.
 *  What tools do is counted where they run, because only there it is known which names are tools at all.
 *  Replay: nothing is told again, and none of it is an event. */
export class LoopMetrics {
  #overlapMs: number;
  #stoppedAtMs: number | null = null;

  /** `overlapMs`: what the runs before this one counted already. */
  constructor({ overlapMs }: Counters) {
    this.#overlapMs = overlapMs;
  }

  /** Somebody wants the query to stop. */
  stopping(): void {
    this.#stoppedAtMs ??= Date.now();
  }

  /** `counters`: with the event in them. */
  see(event: LoopEvent, counters: Counters): void {
    switch (event.type) {
      case 'assistant': {
        const { reply } = event;
        const isTurn = reply.apiError === null && reply.withheld === null;
        if (isTurn) count('everloop_turns', 1, { model: reply.model });
        spend(reply);
        return;
      }
      case 'compaction': {
        const { trigger, outcome } = event;
        count('everloop_compactions', 1, { trigger, outcome: outcome.type });
        if (outcome.type === 'compacted') spend(outcome.costs);
        return;
      }
      case 'transition': {
        const transition = event.state.transition?.reason ?? 'next_turn';
        if (transition !== 'next_turn') count('everloop_recoveries', 1, { transition });
        this.#tellOverlap(counters);
        return;
      }
      case 'end':
        this.#tellOverlap(counters);
        count('everloop_queries', 1, { terminal: event.terminal.reason });
        if (this.#stoppedAtMs === null) return;
        record('everloop_stop_latency_seconds', (Date.now() - this.#stoppedAtMs) / 1_000);
        return;
      case 'stream_request_start':
      case 'stream_event':
      case 'tool_result':
      case 'tool_use_summary':
      case 'attachment':
        return;
    }
  }

  #tellOverlap({ overlapMs }: Counters): void {
    const sinceMs = overlapMs - this.#overlapMs;
    if (sinceMs <= 0) return;
    this.#overlapMs = overlapMs;
    record('everloop_tool_overlap_seconds', sinceMs / 1_000);
  }
}

const KINDS = {
  input: 'input_tokens',
  output: 'output_tokens',
  cache_read: 'cache_read_input_tokens',
  cache_creation: 'cache_creation_input_tokens',
} as const satisfies Readonly<Record<string, keyof Usage>>;

function spend({ model, usage, costUsd = costOf(model, usage) }: CompactCosts): void {
  for (const [kind, field] of Object.entries(KINDS)) {
    if (usage[field] > 0) count('everloop_tokens', usage[field], { kind, model });
  }
  // A counter of the SDK holds whole numbers only; the sum of a histogram is the amount.
  if (costUsd > 0) record('everloop_cost_usd', costUsd, { model });
}

type Labels = Readonly<Record<string, string>>;

const count = (name: string, by: number, labels: Labels): void =>
  metricMeter.createCounter(name).add(by, labels);

const record = (name: string, value: number, labels: Labels = {}): void =>
  metricMeter.createHistogram(name, 'float').record(value, labels);
