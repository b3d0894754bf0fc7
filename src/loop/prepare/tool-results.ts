import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { keepIfSame, withContent, type ContextMessage } from './context-message';

/** One result of a tool and where it stands. */
export interface ToolResult {
  /** Index of its message. */
  readonly index: number;
  /** Results that the API sees in one user message have the same number: those of one reply's calls. */
  readonly group: number;
  readonly toolUseId: string;
  /** '' when its call is not in the context. */
  readonly tool: string;
  /** null: it holds more than text. */
  readonly text: string | null;
  /** Length of its text parts. */
  readonly chars: number;
}

/** A result's content for the model instead of its own. Recorded by the caller, who hands it in again with the
 *  next request: bytes that were sent once stay as they are. */
export interface Replacement {
  readonly toolUseId: string;
  readonly text: string;
  /** What the caller has to store where `text` says it lies; null: nothing. */
  readonly original: string | null;
}

/** What was decided in earlier requests. */
export interface ResultDecisions {
  /** Texts by `tool_use` id. */
  readonly replacements: ReadonlyMap<string, string>;
  /** Was the result part of a request before? */
  readonly seen: (toolUseId: string) => boolean;
}

/** Where the whole text of a result lies, or is to be stored; null: nowhere. */
export type PlaceFor = (toolUseId: string) => string | null;

export function listToolResults(messages: readonly ContextMessage[]): readonly ToolResult[] {
  const tools = new Map<string, string>();
  const results: ToolResult[] = [];
  let group = 0;
  let reply: string | null = null;
  for (const [index, { role, apiId, content }] of messages.entries()) {
    if (role === 'assistant') {
      if (apiId === null || apiId !== reply) group += 1;
      reply = apiId;
    }
    for (const block of content) {
      if (block.type === 'tool_use') tools.set(block.id, block.name);
      if (block.type !== 'tool_result') continue;
      const toolUseId = block.tool_use_id;
      const tool = tools.get(toolUseId) ?? '';
      results.push({ index, group, toolUseId, tool, ...textOf(block.content) });
    }
  }
  return results;
}

function textOf(content: ToolResultBlockParam['content']): Pick<ToolResult, 'text' | 'chars'> {
  if (typeof content === 'string') return { text: content, chars: content.length };
  const parts = content ?? [];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return { text: texts.length === parts.length ? texts.join('\n') : null, chars };
}

/** The messages with the texts in place of their results' content. Pairing and error marks stay. */
export function replaceResults(
  messages: readonly ContextMessage[],
  texts: ReadonlyMap<string, string>,
): readonly ContextMessage[] {
  if (texts.size === 0) return messages;
  const replaced = messages.map((message) => {
    const content = message.content.map((block) => {
      if (block.type !== 'tool_result') return block;
      const text = texts.get(block.tool_use_id);
      return text === undefined || text === block.content ? block : { ...block, content: text };
    });
    return withContent(message, content);
  });
  return keepIfSame(messages, replaced);
}

export const textsOf = (replacements: readonly Replacement[]): ReadonlyMap<string, string> =>
  new Map(replacements.map(({ toolUseId, text }) => [toolUseId, text]));
