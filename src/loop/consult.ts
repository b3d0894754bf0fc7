import type { CallOutcome, Work } from './ask-model';
import type { CompactOutcome } from './compaction';
import type { Context } from './context';
import { terminalAfterTools, type Stopped } from './decide';
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
  /** How a summary went that was tried as a remedy; absent: none was. */
  readonly compaction?: CompactOutcome;
}

/** Most iterations need no advice. */
export const unadvised = ({ locals }: Work): Consulted => ({ advice: NOTHING, locals });

/** Whether anybody outside has a say in what becomes of the iteration. */
export function isAdvised(
  { deps }: Work,
  reply: CallOutcome,
  batch: ToolBatch,
  stopped: Stopped | null,
): reply is Reply {
  if (reply.type !== 'reply' || stopped !== null) return false;
  return (
    deps.endTurn !== undefined ||
    (batch.results.length === 0 && (reply.withheld !== null || reply.hasStopHooks === true))
  );
}

/** Stage 6, first half: the host's word on a turn that ended well; then, for a reply without calls, the remedy for
 *  an error that was withheld, or the hooks of the end (spec/loop 6.2–6.5). Each is asked at most once an iteration. */
export async function consult(work: Work, reply: Reply, batch: ToolBatch): Promise<Consulted> {
  const { locals } = work;
  const verdict = await hostVerdict(work, reply, batch);
  if (verdict !== null) return { advice: verdict, locals };
  if (batch.results.length > 0) return { advice: NOTHING, locals };
  const { withheld, apiError, hasStopHooks } = reply;
  if (withheld !== null && isCurable(work, withheld)) return remedyFor(work, reply);
  if (hasStopHooks !== true || isGoingOn(work, reply)) return { advice: NOTHING, locals };
  if (withheld !== null || apiError !== null) {
    await runHooks(work, reply.leaf, 'stop_failure', withheld);
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
async function hostVerdict(work: Work, reply: Reply, batch: ToolBatch): Promise<Advice | null> {
  const { deps } = work;
  const { results, terminates, toolUseContext } = batch;
  if (deps.endTurn === undefined || reply.withheld !== null || reply.apiError !== null) return null;
  const willGoOn = results.length > 0 && !terminates;
  const mayGoOn = terminalAfterTools(work, batch) === null;
  const verdict = await deps.endTurn({ reply, willGoOn, mayGoOn, toolUseContext });
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
const isGoingOn = ({ state }: Work, { withheld, stopReason }: Reply): boolean =>
  stopReason === 'pause_turn' || (withheld === 'output_limit' && mayNudge(state));

/** Ladder of the prompt that is too long: what is staged for collapse, then one summary (spec/loop 6.2). */
async function remedyFor(
  work: Work,
  { requestLeaf, leaf: replyLeaf, withheld, hasStopHooks }: Reply,
): Promise<Consulted> {
  const { state, locals, params, deps } = work;
  let compaction: CompactOutcome | undefined;
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
    compaction = await deps.compact({ messages, toolUseContext, turnCount, trigger });
    if (compaction.type === 'interrupted') {
      return { advice: { type: 'interrupted' }, locals, compaction };
    }
    if (compaction.type === 'compacted') {
      const { leaf, contextTokens } = compaction;
      return {
        advice: { type: 'compacted', leaf },
        locals: Locals.afterCompaction(locals, params, contextTokens),
        compaction,
      };
    }
  }
  if (hasStopHooks === true) await runHooks(work, replyLeaf, 'stop_failure', withheld);
  return { advice: NOTHING, locals, ...(compaction && { compaction }) };
}

const runHooks = (
  { state, locals, deps }: Work,
  leaf: string,
  event: StopPosition['event'],
  error: WithheldError | null = null,
): Promise<StopVerdict> =>
  deps.runStopHooks({
    event,
    leaf,
    toolUseContext: state.toolUseContext,
    stopHookActive: state.stopHookActive === true,
    mayBlock: locals.stopHookBlocks < MAX_STOP_HOOK_BLOCKS,
    ...(error !== null && { error }),
  });
