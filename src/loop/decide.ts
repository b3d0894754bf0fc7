import type { Context, Pending } from './context';
import type { ModelOutcome, Reply } from './deps';
import type { QueryParams } from './query-params';
import { State } from './state';
import type { AbortReason, Terminal } from './terminal';
import type { ToolBatch } from './tool-batch';

/** What stage 6 makes of an iteration: another one, or the end with what is still to be chained. */
export type Decision =
  | { readonly type: 'continue'; readonly state: State }
  | { readonly type: 'end'; readonly terminal: Terminal; readonly messages: Context };

/** Everything the decision depends on. */
export interface Iteration {
  readonly state: State;
  readonly params: QueryParams;
  readonly outcome: ModelOutcome;
  readonly batch: ToolBatch;
  readonly attachments: readonly Pending[];
  /** Who stopped the query, and in which stage it was noticed; null: nobody. */
  readonly stopped: { readonly by: AbortReason; readonly during: 'streaming' | 'tools' } | null;
}

/** S0, ladder 2: how often a truncated reply is nudged on before the error is shown. */
export const MAX_OUTPUT_LIMIT_RECOVERIES = 3;

const next = (state: State): Decision => ({ type: 'continue', state });
const end = (terminal: Terminal, messages: Context, ...more: readonly Pending[]): Decision => ({
  type: 'end',
  terminal,
  messages: { leaf: messages.leaf, pending: [...messages.pending, ...more] },
});

/** Stage 6: the one place where an iteration becomes a transition or a terminal. */
export function decide(iteration: Iteration): Decision {
  const { outcome, batch, stopped } = iteration;
  switch (outcome.type) {
    case 'no_request':
      return end({ reason: 'completed', detail: 'no_request' }, at(outcome.leaf));
    case 'failed':
      return end({ reason: 'model_error', message: outcome.message }, outcome.messages);
    case 'interrupted':
      return aborted(iteration, outcome.messages, { by: 'user', during: 'streaming' });
    case 'reply':
      if (stopped !== null) return aborted(iteration, at(outcome.leaf), stopped);
      return batch.results.length > 0
        ? decideAfterTools(iteration, outcome)
        : decideWithoutTools(iteration, outcome);
  }
}

/** The turn that would come next is over the limit (spec/loop 6.8). */
export function isLastTurn({ turnCount }: State, { maxTurns }: QueryParams): boolean {
  return maxTurns !== null && turnCount + 1 > maxTurns;
}

const at = (leaf: string): Context => ({ leaf, pending: [] });

function aborted(
  { batch, stopped }: Iteration,
  messages: Context,
  otherwise: NonNullable<Iteration['stopped']>,
): Decision {
  const { by, during } = stopped ?? otherwise;
  const note: readonly Pending[] = by === 'user' ? [{ type: 'interruption', during }] : [];
  const reason = during === 'streaming' ? 'aborted_streaming' : 'aborted_tools';
  return end({ reason, by }, messages, ...batch.results, ...note);
}

function decideAfterTools(
  { state, params, batch, attachments }: Iteration,
  reply: Reply,
): Decision {
  const { results, toolUseContext } = batch;
  if (isLastTurn(state, params)) {
    return end({ reason: 'max_turns', turnCount: state.turnCount + 1 }, at(reply.leaf), ...results);
  }
  return next(
    State.nextTurn(state, {
      leaf: reply.leaf,
      pending: [...results, ...attachments],
      toolUseContext,
      pendingToolUseSummary: null,
    }),
  );
}

/** The reply asks for no tool: recover, or end (spec/loop 6.2–6.4). */
function decideWithoutTools(iteration: Iteration, reply: Reply): Decision {
  if (reply.withheld === 'output_limit') return decideOutputLimit(iteration, reply);
  if (reply.apiError === 'prompt_too_long')
    return end({ reason: 'prompt_too_long' }, at(reply.leaf));
  if (reply.apiError === 'media_size') return end({ reason: 'image_error' }, at(reply.leaf));
  const detail = reply.apiError === null ? 'end_turn' : 'api_error';
  return end({ reason: 'completed', detail }, at(reply.leaf));
}

/** Ladder of the output limit: the large limit once, then nudges, then the error (spec/loop 6.3).
 *  A full window (4.6) is not helped by a larger limit. */
function decideOutputLimit({ state, params }: Iteration, reply: Reply): Decision {
  const mayEscalate =
    params.gates.cappedOutput &&
    state.maxOutputTokensOverride === null &&
    state.maxOutputTokensRecoveryCount === 0 &&
    reply.stopReason === 'max_tokens';
  if (mayEscalate) {
    return next(State.maxOutputTokensEscalate(state, { requestLeaf: reply.requestLeaf }));
  }
  if (state.maxOutputTokensRecoveryCount < MAX_OUTPUT_LIMIT_RECOVERIES) {
    return next(State.maxOutputTokensRecovery(state, { leaf: reply.leaf }));
  }
  return end({ reason: 'completed', detail: 'output_limit' }, at(reply.leaf), {
    type: 'api_error',
    error: 'max_output_tokens',
  });
}
