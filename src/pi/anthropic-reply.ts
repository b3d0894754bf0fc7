import type {
  ContentBlock,
  Message as ApiMessage,
  StopReason as ApiStopReason,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantMessage, StopReason, Usage } from './message';
import type { Model } from './model';

/** A reply of the Anthropic API, as far as it has come. */
export function fromAnthropicReply(model: Model, reply: ApiMessage): AssistantMessage {
  return {
    role: 'assistant',
    content: reply.content.flatMap(fromBlock),
    api: String(model.api),
    provider: model.provider,
    model: model.id,
    responseModel: reply.model,
    responseId: reply.id,
    usage: usageOf(model, reply.usage),
    stopReason: fromStopReason(reply.stop_reason),
    timestamp: Date.now(),
  };
}

/** Blocks that the model's own servers made have no counterpart, and no part in what the client does. */
function fromBlock(block: ContentBlock): AssistantMessage['content'][number] | [] {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'thinking') {
    return { type: 'thinking', thinking: block.thinking, thinkingSignature: block.signature };
  }
  if (block.type === 'redacted_thinking') {
    return { type: 'thinking', thinking: '', thinkingSignature: block.data, redacted: true };
  }
  if (block.type !== 'tool_use') return [];
  const { id, name, input } = block;
  return { type: 'toolCall', id, name, arguments: { ...(input as object) } };
}

/** A refusal has no counterpart but an error. */
function fromStopReason(reason: ApiStopReason | null): StopReason {
  switch (reason) {
    case 'tool_use':
      return 'toolUse';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'error';
    case 'end_turn':
    case 'stop_sequence':
    case 'pause_turn':
    case null:
      return 'stop';
  }
}

function usageOf({ cost: prices }: Model, usage: ApiMessage['usage']): Usage {
  const tokens = {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
  };
  const dollars = (kind: keyof typeof tokens): number => (tokens[kind] * prices[kind]) / 1e6;
  const cost = {
    input: dollars('input'),
    output: dollars('output'),
    cacheRead: dollars('cacheRead'),
    cacheWrite: dollars('cacheWrite'),
  };
  const sum = (parts: typeof tokens): number =>
    parts.input + parts.output + parts.cacheRead + parts.cacheWrite;
  return { ...tokens, totalTokens: sum(tokens), cost: { ...cost, total: sum(cost) } };
}
