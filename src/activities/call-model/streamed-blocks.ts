import type {
  ContentBlock,
  RawMessageStreamEvent,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import { NO_USAGE, searchesOf, withSearches, type Usage } from '../../loop/usage';

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
  /** The block that the event finished; null: none. Fails: Error when the event makes no sense here. */
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
  /** By index: some proxies send two blocks at once, piece by piece. */
  const open = new Map<number, OpenBlock>();
  const callIds = new Set<string>();
  let hasStarted = false;
  let isComplete = false;

  const openAt = (index: number): OpenBlock => {
    const found = open.get(index);
    if (found === undefined)
      throw new Error(`An event came for block ${index}, which is not open.`);
    return found;
  };
  const finish = (index: number): ContentBlock => {
    const { block, json } = openAt(index);
    open.delete(index);
    const isCall = block.type === 'tool_use' || block.type === 'server_tool_use';
    const finished = isCall ? { ...block, input: parseInput(json) } : block;
    if (finished.type === 'tool_use') requireCall(finished, callIds);
    reply = { ...reply, blocks: [...reply.blocks, finished] };
    return finished;
  };

  return {
    take(event) {
      switch (event.type) {
        case 'message_start': {
          const { id, model, usage } = event.message;
          reply = { ...reply, messageId: id, model, usage: mergeUsage(NO_USAGE, usage) };
          hasStarted = true;
          return null;
        }
        case 'content_block_start':
          if (!hasStarted) throw new Error('A block came before the message that holds it.');
          if (open.has(event.index)) throw new Error(`Block ${event.index} came twice.`);
          open.set(event.index, { block: { ...event.content_block }, json: '' });
          return null;
        case 'content_block_delta':
          addDelta(openAt(event.index), event.delta);
          return null;
        case 'content_block_stop':
          return finish(event.index);
        case 'message_delta': {
          const { stop_reason: stopReason, stop_sequence: stopSequence } = event.delta;
          reply = {
            ...reply,
            stopReason: stopReason?.slice(0, LONGEST_NAME) ?? null,
            stopSequence,
            usage: mergeUsage(reply.usage, event.usage),
          };
          return null;
        }
        case 'message_stop':
          isComplete = open.size === 0;
          break;
      }
      // Also for events that the API has learnt since.
      return null;
    },
    isComplete: () => isComplete,
    partial: () => {
      const texts = [...open].filter(([, { block }]) => block.type === 'text' && block.text !== '');
      const [index] = texts.at(-1) ?? [];
      return index === undefined ? null : finish(index);
    },
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

/** Input that is no JSON object counts as empty; the schema check then says what is missing (spec/loop 4.4). The
 *  API takes nothing else back. */
function parseInput(json: string): unknown {
  if (json === '') return {};
  try {
    const input: unknown = JSON.parse(json);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  } catch {
    return {};
  }
}

/** Names and ids of calls enter Event History; the API's own are far shorter. */
const LONGEST_NAME = 256;

/** Each call costs Event History some entries, and a run of a Workflow may have 50,000 of them. */
const MOST_CALLS = 1_000;

/** The API would refuse a conversation with such a call in it, every time. */
function requireCall({ id, name }: ToolUseBlock, known: Set<string>): void {
  for (const value of [id, name]) {
    // Whatever the types say: it comes from outside.
    if (typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME) continue;
    const seen = JSON.stringify(value).slice(0, 40);
    throw new Error(
      `A call needs an id and a name of 1 to ${LONGEST_NAME} characters, got ${seen}.`,
    );
  }
  if (known.has(id)) throw new Error(`Two calls of one reply have the id ${id}.`);
  known.add(id);
  if (known.size > MOST_CALLS) throw new Error(`The reply makes more than ${MOST_CALLS} calls.`);
}

type Tokens = Exclude<keyof Usage, 'server_tool_use'>;
type WireUsage = { readonly [Key in Tokens]?: number | null } & {
  readonly server_tool_use?: { readonly web_search_requests?: number } | null;
};

/** Usage in the stream is cumulative, and a zero never takes back a count (spec/loop 4.2). */
function mergeUsage(known: Usage, told: WireUsage): Usage {
  const newest = (key: Tokens): number => {
    const value = told[key];
    return typeof value === 'number' && value > 0 ? value : known[key];
  };
  return {
    input_tokens: newest('input_tokens'),
    output_tokens: newest('output_tokens'),
    cache_creation_input_tokens: newest('cache_creation_input_tokens'),
    cache_read_input_tokens: newest('cache_read_input_tokens'),
    ...withSearches(Math.max(searchesOf(known), told.server_tool_use?.web_search_requests ?? 0)),
  };
}
