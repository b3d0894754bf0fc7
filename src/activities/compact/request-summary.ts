import { setTimeout as sleep } from 'node:timers/promises';
import type {
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import { betweenFailpoints } from '../../failpoint/failpoint';
import type { ContextMessage } from '../../loop/prepare/context-message';
import { modelClient } from '../agent-hooks/model-client';
import { toApiFailure, retryDelayMs } from '../call-model/api-failure';
import { toRequest } from '../call-model/request';
import { createSilenceLimit, SILENCE_LIMIT_MS } from '../call-model/silence-limit';
import type { ConversationStart } from '../deps';
import type { QueryCall } from '../query-call';
import type { Tool } from '../../tools/tool';
import { askShorter, readSummary, type Summary, type SummaryAnswer } from './ask-shorter';

export interface SummaryRequest {
  readonly query: QueryCall;
  readonly model: string;
  readonly start: ConversationStart;
  /** Those of the conversation's requests. */
  readonly tools: readonly Tool[];
  readonly messages: readonly ContextMessage[];
  readonly instructions: readonly string[];
  readonly signal: AbortSignal;
}

/** Tries of one request that failed in passing (spec/loop 3.7h). */
const RETRIES = 2;
/** spec/loop 3.7h: the plain request that follows a failed one. */
const PLAIN_OUTPUT_TOKENS = 20_000;
const PLAIN_SYSTEM = 'You write summaries of conversations between a user and an agent.';

/** Asks the model for a summary: first with the conversation's own system prompt, tools and messages, so that the
 *  server's cache serves all of it; if that fails, plainly. Fails: with the reason of the signal. */
export async function requestSummary(asked: SummaryRequest): Promise<Summary> {
  const from = { ...asked, userContext: asked.start.userContext };
  const first = await askShorter(from, (messages) =>
    askWithRetries(asked, sharedRequest(asked, messages)),
  );
  if (first.type === 'summary' || asked.messages.length === 0) return first;
  const plain = await askShorter(from, (messages) =>
    askWithRetries(asked, plainRequest(asked, messages)),
  );
  return plain.type === 'summary' ? plain : first;
}

async function askWithRetries(
  { query, signal }: SummaryRequest,
  request: MessageCreateParamsStreaming,
): Promise<SummaryAnswer> {
  const { deps } = query;
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(query, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = toApiFailure(error);
      if (failure.retry !== 'with_backoff' || tries > Math.min(RETRIES, deps.maxRetries)) {
        return failure;
      }
      await sleep(retryDelayMs(failure, tries, deps.random()), undefined, { signal });
    }
  }
}

async function askOnce(
  query: QueryCall,
  request: MessageCreateParamsStreaming,
  signal: AbortSignal,
): Promise<Extract<Summary, { type: 'summary' }>> {
  const { deps } = query;
  const anthropic = await modelClient(query);
  const startedAtMs = deps.now().getTime();
  const silence = createSilenceLimit(deps.silenceLimitMs ?? SILENCE_LIMIT_MS);
  const either = AbortSignal.any([signal, silence.signal]);
  const { text, usage } = await betweenFailpoints('model.request', () =>
    anthropic.messages.create(request, { signal: either }),
  )
    .then((stream) => readSummary(stream, either, () => silence.heard()))
    .finally(() => silence.close());
  const apiMs = deps.now().getTime() - startedAtMs;
  const { model } = request;
  const costUsd = deps.ownPrices?.costOf(model, usage);
  const costs = { model, usage, apiMs, ...(costUsd !== undefined && { costUsd }) };
  return { type: 'summary', text, costs };
}

/** The same beginning as any other request of the conversation. */
function sharedRequest(
  { query, model, start, tools }: SummaryRequest,
  messages: MessageParam[],
): MessageCreateParamsStreaming {
  const { deps, options } = query;
  return toRequest({
    model,
    maxTokens: deps.maxOutputTokens,
    system: start.system,
    tools,
    messages,
    maxThinkingTokens: options.maxThinkingTokens,
    effort: options.effort,
    taskBudget: null,
  });
}

function plainRequest(
  { query, model }: SummaryRequest,
  messages: MessageParam[],
): MessageCreateParamsStreaming {
  const read = query.agent.tools.filter(({ name }) => name === 'Read');
  return toRequest({
    model,
    maxTokens: Math.min(query.deps.maxOutputTokens, PLAIN_OUTPUT_TOKENS),
    system: [PLAIN_SYSTEM],
    tools: read,
    messages,
    maxThinkingTokens: 0,
    taskBudget: null,
  });
}
