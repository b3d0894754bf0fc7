import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { costOf } from '../loop/price-table';
import { addUsage, NO_USAGE, type Usage } from '../loop/usage';
import { isPrompt } from '../transcript/prompt-record';
import type { ToolResultContent, TranscriptRecord } from '../transcript/record';

/** One call of a conversation and what came of it. */
export interface RecordedCall {
  readonly name: string;
  readonly input: unknown;
  /** null: none is recorded. */
  readonly result: { readonly content: ToolResultContent; readonly isError: boolean } | null;
}

/** What a conversation did, in the order in which it was done. Its sub-agents count as calls. */
export interface ConversationFacts {
  /** The model that answered last; null: none did. */
  readonly model: string | null;
  /** Replies of the model. */
  readonly turns: number;
  readonly calls: readonly RecordedCall[];
  readonly usage: Usage;
  /** USD by the built-in price table. */
  readonly costUsd: number;
  /** Text of the last reply. */
  readonly answer: string;
}

export function factsOf(chain: readonly TranscriptRecord[]): ConversationFacts {
  const replies = new Map<string, { readonly model: string; readonly usage: Usage }>();
  const calls: { id: string; name: string; input: unknown }[] = [];
  let answer = { of: '', text: '' };
  for (const record of chain) {
    if (record.type !== 'assistant' || record.isApiErrorMessage === true) continue;
    if (record.everloop?.isKept === true) continue;
    const { id, model, usage, content } = record.message;
    replies.set(id, { model, usage });
    for (const block of content) {
      if (block.type === 'tool_use') calls.push(block);
      if (block.type !== 'text') continue;
      answer = { of: id, text: answer.of === id ? answer.text + block.text : block.text };
    }
  }
  const results = resultsIn(chain);
  const asked = [...replies.values()];
  return {
    model: asked.at(-1)?.model ?? null,
    turns: replies.size,
    calls: calls.map(({ id, name, input }) => ({ name, input, result: results.get(id) ?? null })),
    usage: asked.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
    costUsd: asked.reduce((sum, { model, usage }) => sum + costOf(model, usage), 0),
    answer: answer.text,
  };
}

/** What people have said, message by message. */
export function promptsIn(
  chain: readonly TranscriptRecord[],
): readonly (string | readonly ContentBlockParam[])[] {
  return chain.flatMap((record) => {
    if (!isPrompt(record) || record.everloop?.isKept === true) return [];
    if (record.type === 'user') return [record.message.content];
    return record.type === 'attachment' ? [record.attachment.content] : [];
  });
}

function resultsIn(
  chain: readonly TranscriptRecord[],
): ReadonlyMap<string, NonNullable<RecordedCall['result']>> {
  const results = new Map<string, NonNullable<RecordedCall['result']>>();
  for (const record of chain) {
    if (record.type !== 'user' || typeof record.message.content === 'string') continue;
    for (const block of record.message.content) {
      if (block.type !== 'tool_result' || results.has(block.tool_use_id)) continue;
      const { content = '', is_error: isError = false } = block;
      results.set(block.tool_use_id, { content, isError });
    }
  }
  return results;
}
