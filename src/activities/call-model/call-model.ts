import type { ModelOutcome } from '../../loop/outcomes';
import type { Attempt } from '../attempt';
import { prepareContext } from '../conversation/prepared-context';
import type { ActivityDeps } from '../deps';
import type { CallModelInput } from '../interface';
import { withFreshServers } from '../mcp/session-catalog';
import { openQueryCall, type QueryCall } from '../query-call';
import { agentRequest } from '../agent-hooks/request-hooks';
import { requireAgent } from '../agent-hooks/query-agent';
import { resolveModel } from '../../settings/model-alias';
import { queryGrants } from '../query-grants';
import { toolsToOffer } from '../tools-to-offer';
import { askModel } from './ask-model';
import { chainInput } from './chain-input';
import { adoptReply } from './commit-reply';
import { modelToAsk } from './fallback-model';
import { interruptedOf, warned } from './outcome';
import { requireNoPause } from './provider-pause';
import { recordDecisions } from './record-decisions';
import { outputTokensFor, toRequest } from './request';
import { requireTurn } from './require-turn';
import { sessionPrompt } from './session-prompt';

/** Everything of one request that does not change while it is tried. */
export interface ModelCall extends QueryCall {
  readonly input: CallModelInput;
  /** Hooks want to hear of the query's end. */
  readonly hasStopHooks: boolean;
  /** Hooks or people want to be asked before a tool runs. */
  readonly hasToolChecks: boolean;
}

/** Stages 1 to 3 of an iteration: chains what the turn brings, prepares the context, sends it, commits the reply.
 *  What the context needs before it can be sent is the Workflow's to decide: then nothing is sent.
 *  An attempt that finds its predecessor's reply adopts it instead of asking again.
 *  Fails: `ModelCall.Retry` (retryable, with the delay of spec/loop 4.9) until the retries are used up;
 *  `ModelCall.Paused` (retryable) while the provider has told some Worker to wait;
 *  `Session.QueryRunning` (retryable) while an earlier query of the session is at work. */
export async function callModel(
  deps: ActivityDeps,
  attempt: Attempt,
  input: CallModelInput,
): Promise<ModelOutcome> {
  const query = await openQueryCall(deps, attempt);
  requireAgent(query);
  const { session, options, place } = query;
  const { set } = await deps.surroundings.hooks(place);
  // A value that is missing is asked for where Stop hooks are.
  const hasStopHooks =
    set.hasHooks('Stop') || set.hasHooks('StopFailure') || options.jsonSchema != null;
  const hasToolChecks = set.hasHooks('PreToolUse') || options.asks !== undefined;
  const asked: ModelCall = { ...query, input, hasStopHooks, hasToolChecks };
  const mode = input.toolUseContext?.mode ?? options.permissionMode;

  const adopted = await adoptReply(asked, await toolsToOffer(query, mode));
  if (adopted !== null) return adopted;
  await requireTurn(asked);
  await requireNoPause(asked);
  const call = await withFreshServers(asked);
  const tools = await toolsToOffer(call, mode);
  const prompt = await sessionPrompt(call);
  const chained = await chainInput(call, tools, prompt);
  if (chained.type !== 'context') return chained;

  const expanded = await withModelOfCommand(call);
  const model = await modelToAsk(expanded);
  const room = input.room ?? 'compact';
  const prepared = await prepareContext({
    store: session.store,
    chain: await session.store.chain(chained.leaf),
    model,
    options,
    settings: deps.context,
    now: deps.now(),
    mayCompact: room === 'compact',
    skipBlockingCheck: room === 'just_compacted',
  });
  switch (prepared.verdict) {
    case 'compact':
      return { type: 'compaction_needed', leaf: chained.leaf };
    case 'blocked':
      return { type: 'blocking_limit', leaf: chained.leaf };
    case 'send':
      break;
  }
  // A reply that cannot be kept is paid for in vain, each time that it is tried.
  if (attempt.number > 1) await session.store.requireRoom();
  const requestLeaf = await recordDecisions(call, chained.leaf, prepared.decided);
  const sent = await agentRequest(query, prepared.messages, prompt.userContext);
  if (sent === null) return interruptedOf([], { tools, options, stream: '', requestLeaf });
  const request = toRequest({
    model,
    maxTokens: outputTokensFor(call),
    system: prompt.system,
    tools,
    messages: sent.messages,
    maxThinkingTokens: options.maxThinkingTokens,
    effort: options.effort,
    taskBudget: input.taskBudget ?? null,
  });
  const { anthropic } = sent;
  const asking = { ...expanded, deps: { ...deps, anthropic } };
  const outcome = await askModel({ call: asking, request, tools, requestLeaf });
  return warned(outcome, prepared.warning);
}

/** A command may name the model of its query. */
async function withModelOfCommand(call: ModelCall): Promise<ModelCall> {
  const { model } = await queryGrants(call);
  return model === null ? call : { ...call, input: { ...call.input, model: resolveModel(model) } };
}
