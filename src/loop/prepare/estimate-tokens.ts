import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ContextMessage } from './context-message';

const CHARS_PER_TOKEN = 4;
const JSON_CHARS_PER_TOKEN = 2;
const MEDIA_TOKENS = 2_000;

/** What messages will cost, with a third on top: an estimate that is too low costs a refused request.
 *  Source: spec/loop 3.5. */
export const estimateTokens = (messages: readonly ContextMessage[]): number =>
  withSafety(sumOf(messages));

/** The same for a text. */
export const estimateTextTokens = (text: string): number =>
  withSafety(text.length / CHARS_PER_TOKEN);

/** The estimate without its safety: for what is taken away, where caution means too little. */
export const barelyTokens = (messages: readonly ContextMessage[]): number =>
  Math.floor(sumOf(messages));

const withSafety = (tokens: number): number => Math.ceil((tokens * 4) / 3);

function sumOf(messages: readonly ContextMessage[]): number {
  let tokens = 0;
  for (const { content } of messages) for (const block of content) tokens += blockTokens(block);
  return tokens;
}

type NestedBlock = Exclude<
  Extract<ContentBlockParam, { type: 'tool_result' }>['content'],
  string | undefined
>[number];

function blockTokens(block: ContentBlockParam | NestedBlock): number {
  if (block.type === 'text') return block.text.length / CHARS_PER_TOKEN;
  if (block.type === 'thinking') return block.thinking.length / CHARS_PER_TOKEN;
  if (block.type === 'image' || block.type === 'document') return MEDIA_TOKENS;
  if (block.type === 'tool_use')
    return block.name.length / CHARS_PER_TOKEN + jsonTokens(block.input);
  // Kinds that do not exist yet may stand in a transcript: their JSON is the best guess.
  if (block.type !== 'tool_result') return jsonTokens(block);
  const { content } = block;
  if (typeof content === 'string') return content.length / CHARS_PER_TOKEN;
  return (content ?? []).reduce((tokens, part) => tokens + blockTokens(part), 0);
}

const jsonTokens = (value: unknown): number =>
  JSON.stringify(value ?? null).length / JSON_CHARS_PER_TOKEN;
