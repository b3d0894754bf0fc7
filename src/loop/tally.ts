import type { CompactCosts } from './compaction';
import type { ToolUseRef } from './context';
import { costOf } from './price-table';
import type { LoopEvent } from './events';
import type { Reply } from './outcomes';
import type { Terminal } from './terminal';
import { addUsage, NO_USAGE, type Usage } from './usage';

/** What a query has used so far. Travels with a rollover; the end of the query turns it into its result. */
export interface Tally {
  /** ms since the epoch, in Workflow time. */
  readonly startedAtMs: number;
  readonly apiMs: number;
  readonly usageByModel: Readonly<Record<string, Usage>>;
  /** USD by which own prices differ from the table; absent: not at all. */
  readonly correctionsUsd?: Readonly<Record<string, number>>;
  /** Refused calls, in order. */
  readonly denied: readonly ToolUseRef[];
  /** Ids of the messages that became part of this query beside its prompt. */
  readonly consumed: readonly string[];
  /** The SDK's count: one, and one more per tool result and stop (spec/loop 7.6). */
  readonly numTurns: number;
  readonly stopReason: string | null;
  /** What its sub-agents have used; absent: nothing. */
  readonly delegated?: Spent;
  /** ms that people kept it waiting: paused, or at a limit. Absent: none. */
  readonly parkedMs?: number;
}

/** What counts against limits. */
export interface Spent {
  readonly costUsd: number;
  /** Tokens that are no cache reads, in and out. */
  readonly tokens: number;
}

export const Tally = {
  start(startedAtMs: number): Tally {
    return {
      startedAtMs,
      apiMs: 0,
      usageByModel: {},
      denied: [],
      consumed: [],
      numTurns: 1,
      stopReason: null,
    };
  },

  afterSubAgent: (tally: Tally, { costUsd, tokens }: Spent): Tally => ({
    ...tally,
    delegated: {
      costUsd: (tally.delegated?.costUsd ?? 0) + costUsd,
      tokens: (tally.delegated?.tokens ?? 0) + tokens,
    },
  }),

  /** Also of a call that never has its turn. */
  afterDenial: (tally: Tally, { id, recordId }: ToolUseRef): Tally => ({
    ...tally,
    denied: [...tally.denied, { id, recordId }],
  }),

  afterPark: (tally: Tally, ms: number): Tally => ({
    ...tally,
    parkedMs: (tally.parkedMs ?? 0) + ms,
  }),

  /** The tally after one more event of the loop. */
  after(tally: Tally, event: LoopEvent): Tally {
    switch (event.type) {
      case 'assistant':
        return afterReply(tally, event.reply);
      case 'tool_result': {
        const isDenied = event.outcome.type === 'done' && event.outcome.denied === true;
        const counted = { ...tally, numTurns: tally.numTurns + 1 };
        return isDenied ? Tally.afterDenial(counted, event.toolUse) : counted;
      }
      case 'attachment':
        return event.attachment.type === 'queued_message'
          ? { ...tally, consumed: [...tally.consumed, event.attachment.messageId] }
          : tally;
      case 'end':
        return { ...tally, numTurns: numTurnsAtEnd(tally, event.terminal) };
      case 'compaction':
        return event.outcome.type === 'compacted'
          ? afterSummary(tally, event.outcome.costs)
          : tally;
      case 'transition':
        // The feedback of a hook is a message of the user's side.
        return event.state.transition?.reason === 'stop_hook_blocking'
          ? { ...tally, numTurns: tally.numTurns + 1 }
          : tally;
      case 'tool_use_summary':
      case 'stream_event':
      case 'stream_request_start':
        return tally;
    }
  },
};

/** USD that the query has cost so far, its sub-agents included. */
export const costOfQuery = (tally: Tally): number =>
  ownCostOfQuery(tally) + (tally.delegated?.costUsd ?? 0);

/** USD that the query's own requests have cost: a sub-agent is a query too. */
export const ownCostOfQuery = (tally: Tally): number =>
  Object.keys(tally.usageByModel).reduce((sum, model) => sum + costOfModel(tally, model), 0);

/** Tokens that are no cache reads, in and out, sub-agents included. */
export function tokensOfQuery({ usageByModel, delegated }: Tally): number {
  const own = Object.values(usageByModel).reduce(addUsage, NO_USAGE);
  const used = own.input_tokens + own.cache_creation_input_tokens + own.output_tokens;
  return used + (delegated?.tokens ?? 0);
}

/** USD of one of its models. */
export function costOfModel({ usageByModel, correctionsUsd }: Tally, model: string): number {
  return costOf(model, usageByModel[model] ?? NO_USAGE) + (correctionsUsd?.[model] ?? 0);
}

/** A stop adds the note that tells of it; at the limit the limit counts; a local command took no turn. */
function numTurnsAtEnd({ numTurns }: Tally, terminal: Terminal): number {
  switch (terminal.reason) {
    case 'aborted_streaming':
    case 'aborted_tools':
      return terminal.by === 'user' ? numTurns + 1 : numTurns;
    case 'max_turns':
      return terminal.turnCount;
    case 'completed':
      return terminal.detail === 'no_request' ? 0 : numTurns;
    case 'blocking_limit':
    case 'prompt_too_long':
    case 'image_error':
    case 'model_error':
    case 'stop_hook_prevented':
    case 'hook_stopped':
    case 'rapid_refill_breaker':
    case 'budget_exhausted':
    case 'structured_output_retry_exhausted':
      return numTurns;
  }
}

const afterReply = (tally: Tally, { stopReason, ...costs }: Reply): Tally => ({
  ...afterRequest(tally, costs),
  stopReason,
});

/** The summary stands in the conversation as a message of the user's side. */
const afterSummary = (tally: Tally, costs: CompactCosts): Tally => ({
  ...afterRequest(tally, costs),
  numTurns: tally.numTurns + 1,
});

function afterRequest(tally: Tally, { model, usage, apiMs, costUsd }: CompactCosts): Tally {
  const used = addUsage(tally.usageByModel[model] ?? NO_USAGE, usage);
  return {
    ...tally,
    apiMs: tally.apiMs + apiMs,
    usageByModel: { ...tally.usageByModel, [model]: used },
    ...(costUsd !== undefined && {
      correctionsUsd: {
        ...tally.correctionsUsd,
        [model]: (tally.correctionsUsd?.[model] ?? 0) + costUsd - costOf(model, usage),
      },
    }),
  };
}
