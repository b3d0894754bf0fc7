import type { ContentBlock, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { NO_USAGE, type Usage } from '../../loop/usage';

/** What one stream came to. */
interface StreamedReply {
  readonly messageId: string;
  readonly model: string;
  readonly blocks: readonly ContentBlock[];
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  readonly usage: Usage;
}

/** Puts a reply together from its raw events (spec/loop 4.2, 4.4). */
export interface BlockCollector {
  /** The block that the event finished; null: none. */
  take(event: RawMessageStreamEvent): ContentBlock | null;
  /** false: the stream has not come to its end. A proxy may close it early, in good order. */
  isComplete(): boolean;
  /** The block that was cut off, as far as it is worth keeping: text only. */
  partial(): ContentBlock | null;
  /** What came so far. */
  reply(): StreamedReply;
}

interface OpenBlock {
  readonly block: ContentBlock;
  json: string;
}

export function createBlockCollector(): BlockCollector {
  let reply: StreamedReply = {
    messageId: '',
    model: '',
    blocks: [],
    stopReason: null,
    stopSequence: null,
    usage: NO_USAGE,
  };
  let open: OpenBlock | null = null;
  let isComplete = false;

  const finish = (): ContentBlock | null => {
    if (open === null) return null;
    const { block, json } = open;
    open = null;
    const finished = block.type === 'tool_use' ? { ...block, input: parseInput(json) } : block;
    reply = { ...reply, blocks: [...reply.blocks, finished] };
    return finished;
  };

  return {
    take(event) {
      switch (event.type) {
        case 'message_start': {
          const { id, model, usage } = event.message;
          reply = { ...reply, messageId: id, model, usage: mergeUsage(NO_USAGE, usage) };
          return null;
        }
        case 'content_block_start':
          open = { block: { ...event.content_block }, json: '' };
          return null;
        case 'content_block_delta':
          if (open !== null) addDelta(open, event.delta);
          return null;
        case 'content_block_stop':
          return finish();
        case 'message_delta': {
          const { stop_reason: stopReason, stop_sequence: stopSequence } = event.delta;
          reply = {
            ...reply,
            stopReason,
            stopSequence,
            usage: mergeUsage(reply.usage, event.usage),
          };
          return null;
        }
        case 'message_stop':
          isComplete = true;
          break;
      }
      // Also for events that the API has learnt since.
      return null;
    },
    isComplete: () => isComplete,
    partial: () => (open?.block.type === 'text' && open.block.text !== '' ? finish() : null),
    reply: () => reply,
  };
}

type Delta = Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta'];

// Deltas add up in place: a reply may have hundreds of thousands of them.
function addDelta(open: OpenBlock, delta: Delta): void {
  const { block } = open;
  switch (delta.type) {
    case 'text_delta':
      if (block.type === 'text') block.text += delta.text;
      return;
    case 'input_json_delta':
      open.json += delta.partial_json;
      return;
    case 'thinking_delta':
      if (block.type === 'thinking') block.thinking += delta.thinking;
      return;
    case 'signature_delta':
      if (block.type === 'thinking') block.signature += delta.signature;
      return;
    case 'citations_delta':
      if (block.type === 'text') block.citations = [...(block.citations ?? []), delta.citation];
      return;
  }
}

/** Input that is no JSON counts as empty; the schema check then says what is missing (spec/loop 4.4). */
function parseInput(json: string): unknown {
  if (json === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

type WireUsage = { readonly [Key in keyof Usage]?: number | null };

/** Usage in the stream is cumulative, and a zero never takes back a count (spec/loop 4.2). */
function mergeUsage(known: Usage, told: WireUsage): Usage {
  const newest = (key: keyof Usage): number => {
    const value = told[key];
    return typeof value === 'number' && value > 0 ? value : known[key];
  };
  return {
    input_tokens: newest('input_tokens'),
    output_tokens: newest('output_tokens'),
    cache_creation_input_tokens: newest('cache_creation_input_tokens'),
    cache_read_input_tokens: newest('cache_read_input_tokens'),
  };
}
