import type {
  Message,
  RawContentBlockDelta,
  RedactedThinkingBlockParam,
  ServerToolUseBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolUseBlockParam,
  WebSearchToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Usage } from '../loop/usage';
import type { Reply, ReplyBlock } from './reply';

/** What a reply needs besides its script. */
export interface Envelope {
  readonly messageId: string;
  /** Names the tool_use blocks that have no id. */
  readonly replyIndex: number;
  readonly usage: Usage;
}

const SCRIPTED_MODEL = 'scripted-model';
const DELTA_CHARS = 64;
const MAX_DELTAS = 256;

type ContentBlock =
  | TextBlockParam
  | ToolUseBlockParam
  | ThinkingBlockParam
  | RedactedThinkingBlockParam
  | ServerToolUseBlockParam
  | WebSearchToolResultBlockParam;

/** The fields of a Message that the scripted model fills. */
type ReplyMessage = Pick<
  Message,
  'id' | 'type' | 'role' | 'model' | 'stop_reason' | 'stop_sequence'
> & {
  readonly content: readonly ContentBlock[];
  readonly usage: Usage;
};

export function messageOf(reply: Reply, envelope: Envelope): ReplyMessage {
  const content = contentOf(reply, envelope.replyIndex);
  const asksForTool = content.some(({ type }) => type === 'tool_use');
  return {
    id: envelope.messageId,
    type: 'message',
    role: 'assistant',
    model: reply.model ?? SCRIPTED_MODEL,
    content,
    stop_reason: reply.stop_reason ?? (asksForTool ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: envelope.usage,
  };
}

/** The blocks as the client will have them; those with broken input carry it as a string. */
export function contentOf(reply: Reply, replyIndex: number): ContentBlock[] {
  return (reply.content ?? []).map((block, index) => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: block.text };
      case 'thinking':
        return { type: 'thinking', thinking: block.thinking, signature: block.signature };
      case 'redacted_thinking':
        return { type: 'redacted_thinking', data: block.data };
      case 'server_tool_use':
        return { type: 'server_tool_use', id: block.id, name: 'web_search', input: block.input };
      case 'web_search_tool_result': {
        const content = block.content.map(
          (page) => ({ ...page, type: 'web_search_result' }) as const,
        );
        return { type: 'web_search_tool_result', tool_use_id: block.tool_use_id, content };
      }
      case 'tool_use': {
        const id = block.id ?? `toolu_scripted_${replyIndex}_${index}`;
        return {
          type: 'tool_use',
          id,
          name: block.name,
          input: block.rawJson ?? block.input ?? {},
        };
      }
    }
  });
}

export interface BlockParts {
  readonly start: ContentBlock;
  readonly deltas: readonly RawContentBlockDelta[];
}

/** One block as a stream brings it: empty at first, then piece by piece. */
export function partsOf(
  block: ContentBlock,
  scripted?: ReplyBlock,
  deltaChars?: number,
): BlockParts {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text, deltaChars).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking, deltaChars).map(
            (thinking) => ({ type: 'thinking_delta', thinking }) as const,
          ),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'redacted_thinking':
    case 'web_search_tool_result':
      return { start: block, deltas: [] };
    case 'server_tool_use':
    case 'tool_use': {
      const rawJson = scripted?.type === 'tool_use' ? scripted.rawJson : undefined;
      const json = rawJson ?? JSON.stringify(block.input);
      return {
        start: { ...block, input: {} },
        deltas: pieces(json, deltaChars).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
    }
  }
}

function pieces(text: string, deltaChars?: number): string[] {
  const size = deltaChars ?? Math.max(DELTA_CHARS, Math.ceil(text.length / MAX_DELTAS));
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = start + size;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

/** First half of a character: a piece that ended with it would be no text. NaN, past the end, is none. */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
