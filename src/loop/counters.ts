import type { LoopEvent } from './events';
import type { ContextWarning } from './outcomes';
import { contextTokensOf } from './usage';
import type { Transition } from './state';

/** What operators want to know of a loop that runs (S0's metrics). Travels with a rollover. All times in ms. */
export interface Counters {
  /** Passes of the loop, recoveries included. */
  readonly iterations: number;
  readonly iterationMs: number;
  readonly compactions: number;
  /** Turns from the compaction before the last one to the last; null: there were fewer than two. */
  readonly turnsBetweenCompactions: number | null;
  readonly lastCompactionTurn: number | null;
  /** How often each recovery was taken. */
  readonly recoveries: Readonly<Partial<Record<Transition['reason'], number>>>;
  /** Time that tools ran, and how much of it while a reply still streamed. */
  readonly toolMs: number;
  readonly overlapMs: number;
  /** Tokens of the last request and its reply. */
  readonly contextTokens: number;
  /** null: the last request was well below what the context holds. Absent: an older build counted. */
  readonly contextWarning?: ContextWarning | null;
  readonly iterationStartedAtMs: number;
  /** null: the reply of this iteration is not there yet. */
  readonly repliedAtMs: number | null;
  readonly turn: number;
}

export const Counters = {
  start: (nowMs: number): Counters => ({
    iterations: 0,
    iterationMs: 0,
    compactions: 0,
    turnsBetweenCompactions: null,
    lastCompactionTurn: null,
    recoveries: {},
    toolMs: 0,
    overlapMs: 0,
    contextTokens: 0,
    contextWarning: null,
    iterationStartedAtMs: nowMs,
    repliedAtMs: null,
    turn: 1,
  }),

  after(counters: Counters, event: LoopEvent, nowMs: number): Counters {
    switch (event.type) {
      case 'stream_request_start':
        return {
          ...counters,
          iterations: counters.iterations + 1,
          iterationStartedAtMs: nowMs,
          repliedAtMs: null,
          turn: event.turnCount,
        };
      case 'assistant': {
        const { usage, contextWarning } = event.reply;
        return {
          ...counters,
          repliedAtMs: nowMs,
          contextTokens: contextTokensOf(usage),
          contextWarning: contextWarning ?? null,
        };
      }
      case 'compaction':
        return event.outcome.type === 'compacted' ? afterCompaction(counters) : counters;
      case 'transition':
        return afterTransition(timed(counters, nowMs), event.state.transition);
      case 'end':
        return timed(counters, nowMs);
      case 'stream_event':
      case 'tool_result':
      case 'tool_use_summary':
      case 'attachment':
        return counters;
    }
  },

  /** A tool ran from `startedAtMs` until now. */
  afterTool(counters: Counters, startedAtMs: number, nowMs: number): Counters {
    const streamedUntilMs = counters.repliedAtMs ?? nowMs;
    return {
      ...counters,
      toolMs: counters.toolMs + nowMs - startedAtMs,
      overlapMs: counters.overlapMs + Math.max(0, streamedUntilMs - startedAtMs),
    };
  },
};

const timed = (counters: Counters, nowMs: number): Counters => ({
  ...counters,
  iterationMs: counters.iterationMs + nowMs - counters.iterationStartedAtMs,
});

function afterCompaction(counters: Counters): Counters {
  const { turn, lastCompactionTurn } = counters;
  return {
    ...counters,
    compactions: counters.compactions + 1,
    lastCompactionTurn: turn,
    turnsBetweenCompactions: lastCompactionTurn === null ? null : turn - lastCompactionTurn,
  };
}

function afterTransition(counters: Counters, transition: Transition | null): Counters {
  if (transition === null || transition.reason === 'next_turn') return counters;
  const { reason } = transition;
  const recoveries = { ...counters.recoveries, [reason]: (counters.recoveries[reason] ?? 0) + 1 };
  return { ...counters, recoveries };
}
