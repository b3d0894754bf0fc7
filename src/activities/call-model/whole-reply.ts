import type Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlock,
  Message,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  ServerToolUseBlock,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import { withOutputTokens } from './request';

/** spec/loop 4.11: a reply that comes whole is waited for so long, and may be so large. */
const WAIT_MS = 300_000;
const MAX_OUTPUT_TOKENS = 64_000;

/** The same request without a stream, its reply told as the events of one: for readers there is one way only. */
export async function askWhole(
  anthropic: Anthropic,
  request: MessageCreateParamsStreaming,
  signal: AbortSignal,
): Promise<AsyncIterable<RawMessageStreamEvent>> {
  const fitting = withOutputTokens(request, Math.min(request.max_tokens, MAX_OUTPUT_TOKENS));
  const message = await anthropic.messages.create(
    { ...fitting, stream: false },
    { signal, timeout: WAIT_MS },
  );
  return eventsOf(message);
}

async function* eventsOf(message: Message): AsyncGenerator<RawMessageStreamEvent> {
  const { content, stop_reason, stop_sequence, usage } = message;
  yield { type: 'message_start', message: { ...message, content: [], stop_reason: null } };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: emptied(block) };
    if (isCall(block)) {
      const partial_json = JSON.stringify(block.input);
      yield {
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json },
      };
    }
    yield { type: 'content_block_stop', index };
  }
  const delta = { stop_reason, stop_sequence, container: null, stop_details: null };
  yield { type: 'message_delta', delta, usage: { ...usage, output_tokens: usage.output_tokens } };
  yield { type: 'message_stop' };
}

/** Input of a call comes as JSON text, all else is in the block from the start. */
const emptied = (block: ContentBlock): ContentBlock =>
  isCall(block) ? { ...block, input: {} } : { ...block };

const isCall = (block: ContentBlock): block is ToolUseBlock | ServerToolUseBlock =>
  block.type === 'tool_use' || block.type === 'server_tool_use';
