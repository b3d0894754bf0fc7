import Anthropic from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { fromAnthropicReply } from './anthropic-reply';
import { toAnthropicRequest } from './anthropic-request';
import { AssistantMessageEventStream } from './event-stream';
import { failedReply } from './failed-reply';
import type { AssistantMessage } from './message';
import type { AssistantMessageEvent, Context, Model, SimpleStreamOptions, StreamFn } from './model';

/** The stream function of a run that names none: the Anthropic API at the model's base URL.
 *  `apiKey` omitted: the key of the environment. */
export const streamAnthropic: StreamFn = (model, context, options = {}) => {
  const stream = new AssistantMessageEventStream();
  let soFar: AssistantMessage | null = null;
  const take = (event: AssistantMessageEvent): void => {
    if ('partial' in event) soFar = event.partial;
    stream.push(event);
  };
  play(model, context, options, take).catch((error: unknown) => {
    const reason = options.signal?.aborted === true ? 'aborted' : 'error';
    const failed = failedReply(model, error, reason);
    // What people have seen already stays.
    const { content, usage } = soFar ?? failed;
    stream.push({ type: 'error', reason, error: { ...failed, content, usage } });
  });
  return stream;
};

async function play(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  take: (event: AssistantMessageEvent) => void,
): Promise<void> {
  if (model.api !== 'anthropic-messages') {
    const api = String(model.api);
    throw new Error(`No stream function for the API ${api} of ${model.id}: pass one as streamFn.`);
  }
  const { signal = null, onPayload, onResponse } = options;
  const request = toAnthropicRequest(model, context, options);
  const payload = ((await onPayload?.(request, model)) ?? request) as typeof request;
  const call = clientOf(model, options).messages.stream(payload, { signal });
  call.on('streamEvent', (event, reply) => {
    const told = asModelEvent(event, fromAnthropicReply(model, reply));
    if (told !== null) take(told);
  });
  const { response } = await call.withResponse();
  const headers = Object.fromEntries(response.headers);
  await onResponse?.({ status: response.status, headers }, model);
  const message = fromAnthropicReply(model, await call.finalMessage());
  const { stopReason: reason } = message;
  if (reason === 'error' || reason === 'aborted') throw new Error('The model refused to answer.');
  take({ type: 'done', reason, message });
}

function clientOf(model: Model, options: SimpleStreamOptions): Anthropic {
  const { apiKey, timeoutMs, maxRetries, headers } = options;
  return new Anthropic({
    ...(model.baseUrl !== '' && { baseURL: model.baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(maxRetries !== undefined && { maxRetries }),
    defaultHeaders: { ...model.headers, ...headers },
  });
}

/** null: it is told otherwise, or not at all. */
function asModelEvent(
  event: RawMessageStreamEvent,
  partial: AssistantMessage,
): AssistantMessageEvent | null {
  if (event.type === 'message_start') return { type: 'start', partial };
  if (!('index' in event)) return null;
  const { index: contentIndex } = event;
  const block = partial.content[contentIndex];
  if (block === undefined) return null;
  const kind = KIND[block.type];
  if (event.type === 'content_block_start') {
    return { type: `${kind}_start`, contentIndex, partial };
  }
  if (event.type === 'content_block_delta') {
    const delta = deltaOf(event.delta);
    return delta === null ? null : { type: `${kind}_delta`, contentIndex, delta, partial };
  }
  if (block.type === 'toolCall') {
    return { type: 'toolcall_end', contentIndex, toolCall: block, partial };
  }
  const content = block.type === 'text' ? block.text : block.thinking;
  return {
    type: block.type === 'text' ? 'text_end' : 'thinking_end',
    contentIndex,
    content,
    partial,
  };
}

const KIND = { text: 'text', thinking: 'thinking', toolCall: 'toolcall' } as const;

type Delta = Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta'];

function deltaOf(delta: Delta): string | null {
  switch (delta.type) {
    case 'text_delta':
      return delta.text;
    case 'thinking_delta':
      return delta.thinking;
    case 'input_json_delta':
      return delta.partial_json;
    case 'signature_delta':
    case 'citations_delta':
      return null;
  }
}
