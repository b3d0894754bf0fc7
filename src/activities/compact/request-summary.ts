import { setTimeout as sleep } from 'node:timers/promises';
import type {
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { CompactCosts } from '../../loop/compaction';
import { dropOldestRounds, withoutMedia } from '../../loop/prepare/compact-groups';
import type { ContextMessage } from '../../loop/prepare/context-message';
import { toApiFailure, retryDelayMs, type ApiFailure } from '../call-model/api-failure';
import { toApiMessages } from '../call-model/api-messages';
import { toRequest } from '../call-model/request';
import { createBlockCollector } from '../call-model/streamed-blocks';
import type { ConversationStart } from '../deps';
import type { QueryCall } from '../query-call';
import { offeredTools } from '../tool-catalog';
import { summaryIn, summaryPrompt } from './summary-prompt';

export interface SummaryRequest {
  readonly query: QueryCall;
  readonly model: string;
  readonly start: ConversationStart;
  readonly messages: readonly ContextMessage[];
  readonly instructions: readonly string[];
  readonly signal: AbortSignal;
}

export type Summary =
  | { readonly type: 'summary'; readonly text: string; readonly costs: CompactCosts }
  | { readonly type: 'failed'; readonly message: string };

/** Tries of one request that failed in passing (spec/loop 3.7h), and of one that was too long (3.7i). */
const RETRIES = 2;
const SHORTER_TRIES = 3;
/** spec/loop 3.7h: the plain request that follows a failed one. */
const PLAIN_OUTPUT_TOKENS = 20_000;
const PLAIN_SYSTEM = 'You write summaries of conversations between a user and an agent.';

/** Asks the model for a summary: first with the conversation's own system prompt, tools and messages, so that the
 *  server's cache serves all of it; if that fails, plainly. Fails: with the reason of the signal. */
export async function requestSummary(asked: SummaryRequest): Promise<Summary> {
  const first = await askShorter(asked, (messages) => sharedRequest(asked, messages));
  if (first.type === 'summary' || asked.messages.length === 0) return first;
  const plain = await askShorter(asked, (messages) => plainRequest(asked, messages));
  return plain.type === 'summary' ? plain : first;
}

type ToRequest = (messages: MessageParam[]) => MessageCreateParamsStreaming;

async function askShorter(asked: SummaryRequest, toRequestOf: ToRequest): Promise<Summary> {
  let messages: readonly ContextMessage[] | null = withoutMedia(asked.messages);
  let failed: Summary = { type: 'failed', message: 'There is nothing to summarise.' };
  for (let tries = 0; messages !== null && tries <= SHORTER_TRIES; tries += 1) {
    const content = [{ type: 'text', text: summaryPrompt(asked.instructions) }] as const;
    const whole = toApiMessages([...messages, { role: 'user', content }], asked.start.userContext);
    const answer = await askWithRetries(asked, toRequestOf(whole));
    if ('text' in answer) return answer;
    failed = { type: 'failed', message: answer.message };
    if (answer.kind !== 'prompt_too_long') return failed;
    messages = dropOldestRounds(messages, tokensOver(answer));
  }
  return failed;
}

async function askWithRetries(
  { query, signal }: SummaryRequest,
  request: MessageCreateParamsStreaming,
): Promise<Extract<Summary, { type: 'summary' }> | ApiFailure> {
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
  { deps }: QueryCall,
  request: MessageCreateParamsStreaming,
  signal: AbortSignal,
): Promise<Extract<Summary, { type: 'summary' }>> {
  const startedAtMs = deps.now().getTime();
  const collector = createBlockCollector();
  for await (const event of await deps.anthropic.messages.create(request, { signal })) {
    collector.take(event);
  }
  signal.throwIfAborted();
  if (!collector.isComplete()) throw new Error('The stream ended in the middle of the summary.');
  const { blocks, usage } = collector.reply();
  const text = summaryIn(
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  );
  if (text === '') throw new Error('The model wrote no summary.');
  const apiMs = deps.now().getTime() - startedAtMs;
  return { type: 'summary', text, costs: { model: request.model, usage, apiMs } };
}

/** The same beginning as any other request of the conversation. */
function sharedRequest(
  { query, model, start }: SummaryRequest,
  messages: MessageParam[],
): MessageCreateParamsStreaming {
  const { deps, options } = query;
  return toRequest({
    model,
    maxTokens: deps.maxOutputTokens,
    system: start.system,
    tools: offeredTools(deps.tools, options),
    messages,
    maxThinkingTokens: options.maxThinkingTokens,
    taskBudget: null,
  });
}

function plainRequest(
  { query, model }: SummaryRequest,
  messages: MessageParam[],
): MessageCreateParamsStreaming {
  const read = query.deps.tools.filter(({ name }) => name === 'Read');
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

/** "prompt is too long: 210000 tokens > 200000 maximum"; null: it does not say. */
function tokensOver({ message }: ApiFailure): number | null {
  const found = /(\d+) tokens > (\d+)/.exec(message);
  return found === null ? null : Number(found[1]) - Number(found[2]);
}
