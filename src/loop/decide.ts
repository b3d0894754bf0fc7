import type { CallOutcome } from './ask-model';
import type { Advice } from './consult';
import type { Context, Pending, SyntheticError } from './context';
import { Locals } from './locals';
import { mayEscalate, mayNudge } from './output-limit';
import type { Reply } from './outcomes';
import type { QueryParams } from './query-params';
import { State, nudge } from './state';
import type { AbortReason, CompletedDetail, Terminal } from './terminal';
import { TokenBudget } from './token-budget';
import type { ToolBatch } from './tool-batch';

/** What stage 6 makes of an iteration: another one, or the end with what is still to be chained. */
export type Decision =
  | { readonly type: 'continue'; readonly state: State; readonly locals: Locals }
  | { readonly type: 'end'; readonly terminal: Terminal; readonly messages: Context };

/** Everything the decision depends on. */
export interface Iteration {
  readonly state: State;
  readonly locals: Locals;
  readonly params: QueryParams;
  readonly outcome: CallOutcome;
  readonly batch: ToolBatch;
  readonly attachments: readonly Pending[];
  readonly advice: Advice;
  /** Reference of the label request for this batch; null: none was started. */
  readonly toolUseSummary: string | null;
  /** null: nobody stopped the query. */
  readonly stopped: Stopped | null;
}

/** Who stopped the query, and in which stage it was noticed. */
export interface Stopped {
  readonly by: AbortReason;
  readonly during: 'streaming' | 'tools';
}

/** So many calls of the structured-output tool may fail (spec/loop 6.10). */
const MAX_STRUCTURED_FAILURES = 5;

const end = (terminal: Terminal, messages: Context, ...more: readonly Pending[]): Decision => ({
  type: 'end',
  terminal,
  messages: { leaf: messages.leaf, pending: [...messages.pending, ...more] },
});

const at = (leaf: string): Context => ({ leaf, pending: [] });

/** Stage 6: the one place where an iteration becomes a transition or a terminal. */
export function decide(iteration: Iteration): Decision {
  const { outcome, batch, stopped, advice } = iteration;
  switch (outcome.type) {
    case 'no_request':
      return completed('no_request', outcome.leaf);
    case 'blocking_limit':
      return surfaced({ reason: 'blocking_limit' }, outcome.leaf, 'blocking_limit');
    case 'rapid_refill':
      return surfaced({ reason: 'rapid_refill_breaker' }, outcome.leaf, 'rapid_refill');
    case 'failed':
      return end({ reason: 'model_error', message: outcome.message }, outcome.messages);
    case 'interrupted':
      return aborted(iteration, outcome.messages, { by: 'user', during: 'streaming' });
    case 'reply':
      if (stopped !== null || advice.type === 'interrupted') {
        const leaf = 'leaf' in advice ? advice.leaf : outcome.leaf;
        return aborted(iteration, at(leaf), { by: 'user', during: 'streaming' });
      }
      if (advice.type === 'turn_stopped') {
        return endAfterTools(iteration, outcome, { reason: 'hook_stopped' });
      }
      if (batch.terminates && advice.type !== 'proceed') {
        return endAfterTools(iteration, outcome, { reason: 'completed', detail: 'end_turn' });
      }
      return batch.results.length > 0 || advice.type === 'proceed'
        ? decideToGoOn(iteration, outcome)
        : decideWithoutTools(iteration, outcome, advice);
  }
}

/** How the query ends with this batch, if nobody stops it; null: it goes on (spec/loop 6.8, 6.10). */
export function terminalAfterTools(
  { state, locals, params }: Pick<Iteration, 'state' | 'locals' | 'params'>,
  { structuredOutput, structuredFailures, hookStopped }: ToolBatch,
): Terminal | null {
  if (structuredOutput) return { reason: 'completed', detail: 'structured_output' };
  if (locals.structuredFailures + structuredFailures >= MAX_STRUCTURED_FAILURES) {
    return { reason: 'structured_output_retry_exhausted' };
  }
  if (hookStopped) return { reason: 'hook_stopped' };
  if (isLastTurn(state, params)) return { reason: 'max_turns', turnCount: state.turnCount + 1 };
  return null;
}

/** The turn that would come next is over the limit (spec/loop 6.8). */
export function isLastTurn({ turnCount }: State, { maxTurns }: QueryParams): boolean {
  return maxTurns !== null && turnCount + 1 > maxTurns;
}

const completed = (detail: CompletedDetail, leaf: string): Decision =>
  end({ reason: 'completed', detail }, at(leaf));

/** The error becomes a message that people see and the model never does. */
const surfaced = (terminal: Terminal, leaf: string, error: SyntheticError): Decision =>
  end(terminal, at(leaf), { type: 'api_error', error });

function aborted(
  { batch, attachments, advice, stopped }: Iteration,
  messages: Context,
  otherwise: Stopped,
): Decision {
  const { by, during } = stopped ?? otherwise;
  const note: readonly Pending[] = by === 'user' ? [{ type: 'interruption', during }] : [];
  const reason = during === 'streaming' ? 'aborted_streaming' : 'aborted_tools';
  // A message that was taken or brought before the stop came is not lost.
  const brought = advice.type === 'proceed' ? advice.messages : [];
  const taken = [...attachments, ...brought];
  return end({ reason, by }, messages, ...batch.results, ...taken, ...note);
}

/** What was taken for the turn that does not come is kept beside the results: it counts as consumed. */
const endAfterTools = (
  { batch, attachments }: Iteration,
  { leaf }: Reply,
  terminal: Terminal,
): Decision => end(terminal, at(leaf), ...batch.results, ...attachments);

/** There is something for the next turn: results, or messages that the host brought. */
function decideToGoOn(iteration: Iteration, reply: Reply): Decision {
  const { state, batch, attachments, advice, toolUseSummary } = iteration;
  const terminal = terminalAfterTools(iteration, batch);
  if (terminal !== null) return endAfterTools(iteration, reply, terminal);
  const { messages: brought, toolUseContext } =
    advice.type === 'proceed' ? advice : { messages: [], ...batch };
  const locals = Locals.afterTools(iteration.locals, batch.structuredFailures);
  const next = State.nextTurn(state, {
    leaf: reply.leaf,
    pending: [...batch.results, ...attachments, ...brought],
    toolUseContext,
    pendingToolUseSummary: toolUseSummary,
  });
  return { type: 'continue', state: next, locals };
}

/** The reply asks for no tool: recover, go on for another reason, or end (spec/loop 6.2–6.7). */
function decideWithoutTools(
  iteration: Iteration,
  reply: Reply,
  advice: Exclude<Advice, { type: 'proceed' | 'turn_stopped' | 'interrupted' }>,
): Decision {
  const { state, locals } = iteration;
  switch (advice.type) {
    case 'drained':
      return { type: 'continue', state: State.collapseDrainRetry(state, advice), locals };
    case 'compacted':
      return { type: 'continue', state: State.reactiveCompactRetry(state, advice), locals };
    case 'stop_blocked':
      return { type: 'continue', state: State.stopHookBlocking(state, advice), locals };
    case 'stop_prevented':
      return end({ reason: 'stop_hook_prevented' }, at(advice.leaf));
    case 'none':
      return (
        decideOnError(iteration, reply) ??
        decideOnPause(iteration, reply) ??
        decideOnBudget(iteration, reply)
      );
  }
}

/** An error that nothing cured; null: there is none. */
function decideOnError(iteration: Iteration, reply: Reply): Decision | null {
  const { withheld, apiError, leaf } = reply;
  switch (withheld) {
    case 'output_limit':
      return decideOutputLimit(iteration, reply);
    case 'prompt_too_long':
      return surfaced({ reason: 'prompt_too_long' }, leaf, 'prompt_too_long');
    case 'media_size':
      return surfaced({ reason: 'image_error' }, leaf, 'media_size');
    case null:
      break;
  }
  if (apiError === 'prompt_too_long') return end({ reason: 'prompt_too_long' }, at(leaf));
  if (apiError === 'media_size') return end({ reason: 'image_error' }, at(leaf));
  return apiError === null ? null : completed('api_error', leaf);
}

/** The API has paused a long turn of its own tools: it goes on when it gets the same context back. null: it has not. */
function decideOnPause(iteration: Iteration, { stopReason, leaf }: Reply): Decision | null {
  if (stopReason !== 'pause_turn') return null;
  const { state, locals, batch } = iteration;
  const terminal = terminalAfterTools(iteration, batch);
  if (terminal !== null) return end(terminal, at(leaf));
  const { toolUseContext } = batch;
  const next = State.nextTurn(state, {
    leaf,
    pending: [],
    toolUseContext,
    pendingToolUseSummary: null,
  });
  return { type: 'continue', state: next, locals };
}

/** Ladder of the output limit: the large limit once, then nudges, then the error (spec/loop 6.3). */
function decideOutputLimit({ state, locals, params }: Iteration, reply: Reply): Decision {
  const { leaf, requestLeaf } = reply;
  if (mayEscalate(state, params, reply)) {
    return {
      type: 'continue',
      state: State.maxOutputTokensEscalate(state, { requestLeaf }),
      locals,
    };
  }
  if (mayNudge(state)) {
    return { type: 'continue', state: State.maxOutputTokensRecovery(state, { leaf }), locals };
  }
  return surfaced({ reason: 'completed', detail: 'output_limit' }, leaf, 'max_output_tokens');
}

/** The model has finished. A prompt that named a budget may want more (spec/loop 6.7). */
function decideOnBudget({ state, locals }: Iteration, { leaf, isEmpty }: Reply): Decision {
  const { tokenBudget } = locals;
  if (tokenBudget === null || !TokenBudget.mayContinue(tokenBudget)) {
    return completed(isEmpty === true ? 'empty' : 'end_turn', leaf);
  }
  const percent = TokenBudget.percentUsed(tokenBudget);
  return {
    type: 'continue',
    state: State.tokenBudgetContinuation(state, { leaf, nudge: nudge('token_budget', percent) }),
    locals: Locals.afterTokenBudgetContinuation(locals, tokenBudget),
  };
}
