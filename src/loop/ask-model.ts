import { AutoCompactTracking } from './auto-compact-tracking';
import type { CompactOutcome, CompactTrigger } from './compaction';
import type { Context } from './context';
import type { LoopDeps, ModelRequest } from './deps';
import type { LoopEvent } from './events';
import { Locals } from './locals';
import type { ModelOutcome } from './outcomes';
import type { QueryParams } from './query-params';
import type { State } from './state';
import { streamReply } from './stream-reply';
import type { ToolScheduler } from './tool-scheduler';

/** How stages 1 to 3 ended. `rapid_refill`: the context fills again at once whatever is summarised. */
export type CallOutcome =
  | Exclude<ModelOutcome, { type: 'compaction_needed' | 'compact_command' }>
  | { readonly type: 'rapid_refill'; readonly leaf: string };

/** How an iteration's request ended, and what it taught. */
export interface Asked {
  readonly outcome: CallOutcome;
  readonly tracking: AutoCompactTracking | null;
  readonly locals: Locals;
}

/** What one iteration works with. */
export interface Work {
  readonly state: State;
  readonly locals: Locals;
  readonly params: QueryParams;
  readonly deps: LoopDeps;
}

/** Stages 1 to 3: prepares and sends the request and follows its stream. */
export async function* askModel(
  work: Work,
  tools: ToolScheduler,
): AsyncGenerator<LoopEvent, Asked> {
  const { state, locals } = work;
  const { turnCount, toolUseContext } = state;
  const tracking = AutoCompactTracking.nextIteration(state.autoCompactTracking);
  yield { type: 'stream_request_start', turnCount, model: toolUseContext.model };
  const room = AutoCompactTracking.hasGivenUp(tracking) ? 'none' : 'compact';
  const outcome = yield* send(work, tools, state.messages, room);
  switch (outcome.type) {
    case 'compact_command': {
      const compacted = yield* compact(work, at(outcome.leaf), 'manual');
      return { outcome: afterCommand(compacted, outcome.leaf), tracking, locals };
    }
    case 'compaction_needed':
      return yield* compactAndAsk(work, tools, outcome.leaf, AutoCompactTracking.full(tracking));
    case 'reply':
      return { outcome, tracking, locals: Locals.afterReply(locals, outcome.usage.output_tokens) };
    case 'no_request':
    case 'blocking_limit':
    case 'interrupted':
    case 'failed':
      return { outcome, tracking, locals };
  }
}

/** The context is nearly full: it is summarised, once, and sent. If that fails it is sent as it is. */
async function* compactAndAsk(
  work: Work,
  tools: ToolScheduler,
  leaf: string,
  tracking: AutoCompactTracking,
): AsyncGenerator<LoopEvent, Asked> {
  const { locals, params } = work;
  if (AutoCompactTracking.isThrashing(tracking)) {
    return { outcome: { type: 'rapid_refill', leaf }, tracking, locals };
  }
  const compacted = yield* compact(work, at(leaf), 'auto');
  switch (compacted.type) {
    case 'interrupted':
      return { outcome: stoppedAt(compacted.messages), tracking, locals };
    case 'refused':
    case 'failed': {
      const outcome = yield* send(work, tools, compacted.messages, 'none');
      return afterSecond(outcome, AutoCompactTracking.failed(tracking), locals);
    }
    case 'compacted': {
      const after = {
        ...work,
        locals: Locals.afterCompaction(locals, params, compacted.contextTokens),
      };
      const outcome = yield* send(after, tools, at(compacted.leaf), 'just_compacted');
      const succeeded = AutoCompactTracking.succeeded(tracking, compacted.leaf);
      return afterSecond(outcome, succeeded, after.locals);
    }
  }
}

/** A request that may not be compacted any more was sent, or is over the limit. */
function afterSecond(outcome: ModelOutcome, tracking: AutoCompactTracking, locals: Locals): Asked {
  if (outcome.type === 'compaction_needed' || outcome.type === 'compact_command') {
    return { outcome: { type: 'blocking_limit', leaf: outcome.leaf }, tracking, locals };
  }
  const tokens = outcome.type === 'reply' ? outcome.usage.output_tokens : 0;
  return { outcome, tracking, locals: Locals.afterReply(locals, tokens) };
}

/** No generator of its own: each layer costs every turn several promises. */
function send(
  { state, locals, params, deps }: Work,
  tools: ToolScheduler,
  messages: Context,
  room: ModelRequest['room'],
): AsyncGenerator<LoopEvent, ModelOutcome> {
  const { toolUseContext, turnCount, maxOutputTokensOverride } = state;
  const request = { messages, toolUseContext, turnCount, maxOutputTokensOverride, room };
  const taskBudget = taskBudgetOf(params, locals);
  return streamReply({ ...request, ...taskBudget }, tools, deps, params);
}

async function* compact(
  { state, deps }: Work,
  messages: Context,
  trigger: CompactTrigger,
): AsyncGenerator<LoopEvent, CompactOutcome> {
  const { toolUseContext, turnCount } = state;
  const outcome = await deps.compact({ messages, toolUseContext, turnCount, trigger });
  yield { type: 'compaction', trigger, outcome };
  return outcome;
}

const at = (leaf: string): Context => ({ leaf, pending: [] });

const stoppedAt = (messages: Context): CallOutcome => ({
  type: 'interrupted',
  messages,
  stream: '',
  toolUses: [],
});

function taskBudgetOf(
  { taskBudget }: QueryParams,
  { taskBudgetRemaining: remaining }: Locals,
): Pick<ModelRequest, 'taskBudget'> {
  if (taskBudget == null) return {};
  return { taskBudget: { total: taskBudget, ...(remaining !== null && { remaining }) } };
}

function afterCommand(outcome: CompactOutcome, asked: string): CallOutcome {
  switch (outcome.type) {
    case 'compacted':
      return { type: 'no_request', leaf: outcome.leaf };
    case 'refused':
    case 'failed':
      return { type: 'no_request', leaf: outcome.messages.leaf ?? asked };
    case 'interrupted':
      return stoppedAt(outcome.messages);
  }
}
