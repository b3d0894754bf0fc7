import type { CallOutcome, Work } from './ask-model';
import type { Context } from './context';
import type { Stopped } from './decide';
import type { LoopEvent } from './events';
import { Locals } from './locals';
import { mayNudge } from './output-limit';
import type { Reply, WithheldError } from './outcomes';
import type { ToolBatch } from './tool-batch';
import { MAX_STOP_HOOK_BLOCKS, type StopPosition, type StopVerdict } from './stop-hooks';
import type { TurnVerdict } from './turn-end';

/** What stage 6 learns from outside before it decides. `none`: nothing was asked, or it changed nothing. */
export type Advice =
  | { readonly type: 'none' }
  | { readonly type: 'drained'; readonly leaf: string; readonly committed: number }
  | { readonly type: 'compacted'; readonly leaf: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'stop_blocked'; readonly leaf: string }
  | { readonly type: 'stop_prevented'; readonly leaf: string }
  | Extract<TurnVerdict, { type: 'proceed' }>
  | { readonly type: 'turn_stopped' };

const NOTHING: Advice = { type: 'none' };

export interface Consulted {
  readonly advice: Advice;
  readonly locals: Locals;
}

/** Stage 6, first half: the host's word on a turn that ended well; then, for a reply without calls, the remedy for
 *  an error that was withheld, or the hooks of the end (spec/loop 6.2–6.5). Each is asked at most once an iteration. */
export async function* consult(
  work: Work,
  reply: CallOutcome,
  batch: ToolBatch,
  stopped: Stopped | null,
): AsyncGenerator<LoopEvent, Consulted> {
  const { locals } = work;
  if (reply.type !== 'reply' || stopped !== null) return { advice: NOTHING, locals };
  const verdict = await hostVerdict(work, reply, batch);
  if (verdict !== null) return { advice: verdict, locals };
  if (batch.results.length > 0) return { advice: NOTHING, locals };
  const { withheld, apiError, hasStopHooks } = reply;
  if (withheld !== null && isCurable(work, withheld)) return yield* remedyFor(work, reply);
  if (hasStopHooks !== true || isNudged(work, reply)) return { advice: NOTHING, locals };
  if (withheld !== null || apiError !== null) {
    await runHooks(work, reply.leaf, 'stop_failure');
    return { advice: NOTHING, locals };
  }
  const heard = await runHooks(work, reply.leaf, 'stop');
  switch (heard.type) {
    case 'passed':
      return { advice: NOTHING, locals };
    case 'prevented':
      return { advice: { type: 'stop_prevented', leaf: heard.leaf }, locals };
    case 'blocked':
      return {
        advice: { type: 'stop_blocked', leaf: heard.leaf },
        locals: Locals.afterStopHookBlock(locals),
      };
  }
}

/** null: the host has no say, or nothing to add to a turn that is the last. */
async function hostVerdict(
  { deps }: Work,
  reply: Reply,
  { results, terminates, toolUseContext }: ToolBatch,
): Promise<Advice | null> {
  if (deps.endTurn === undefined || reply.withheld !== null || reply.apiError !== null) return null;
  const willGoOn = results.length > 0 && !terminates;
  const verdict = await deps.endTurn({ reply, willGoOn, toolUseContext });
  if (verdict.type === 'stop') return { type: 'turn_stopped' };
  const isWanted = willGoOn || verdict.again === true || verdict.messages.length > 0;
  return isWanted ? verdict : null;
}

/** A summary makes room for input; an output limit it cures only by a gate, when nudges are used up (6.3). */
function isCurable({ state, params }: Work, withheld: WithheldError): boolean {
  if (withheld !== 'output_limit') return true;
  return params.gates.compactAfterOutputLimit && !mayNudge(state);
}

/** The query goes on anyway. */
const isNudged = ({ state }: Work, { withheld }: Reply): boolean =>
  withheld === 'output_limit' && mayNudge(state);

/** Ladder of the prompt that is too long: what is staged for collapse, then one summary (spec/loop 6.2). */
async function* remedyFor(
  work: Work,
  { requestLeaf, leaf: replyLeaf, withheld, hasStopHooks }: Reply,
): AsyncGenerator<LoopEvent, Consulted> {
  const { state, locals, params, deps } = work;
  const messages: Context = {
    leaf: withheld === 'output_limit' ? replyLeaf : requestLeaf,
    pending: [],
  };
  const mayDrain =
    params.gates.contextCollapse &&
    withheld === 'prompt_too_long' &&
    state.transition?.reason !== 'collapse_drain_retry' &&
    state.transition?.reason !== 'reactive_compact_retry';
  if (mayDrain) {
    const { leaf, committed } = await deps.drainCollapses(messages);
    if (committed > 0) return { advice: { type: 'drained', leaf, committed }, locals };
  }
  if (params.gates.reactiveCompact && !state.hasAttemptedReactiveCompact) {
    const { toolUseContext, turnCount } = state;
    const trigger = 'reactive';
    const outcome = await deps.compact({ messages, toolUseContext, turnCount, trigger });
    yield { type: 'compaction', trigger, outcome };
    if (outcome.type === 'interrupted') return { advice: { type: 'interrupted' }, locals };
    if (outcome.type === 'compacted') {
      return {
        advice: { type: 'compacted', leaf: outcome.leaf },
        locals: Locals.afterCompaction(locals, params, outcome.contextTokens),
      };
    }
  }
  if (hasStopHooks === true) await runHooks(work, replyLeaf, 'stop_failure');
  return { advice: NOTHING, locals };
}

const runHooks = (
  { state, locals, deps }: Work,
  leaf: string,
  event: StopPosition['event'],
): Promise<StopVerdict> =>
  deps.runStopHooks({
    event,
    leaf,
    toolUseContext: state.toolUseContext,
    stopHookActive: state.stopHookActive === true,
    mayBlock: locals.stopHookBlocks < MAX_STOP_HOOK_BLOCKS,
  });
