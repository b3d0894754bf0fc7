import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { withoutDate } from '../../loop/price-table';
import type { ContextMessage } from '../../loop/prepare/context-message';
import type { AssistantRecord, TranscriptRecord } from '../../transcript/record';

/** A chain as preparation sees it: what the model is sent, record by record. The same object for the same record
 *  every time, so that later steps can tell what changed by identity. */
export function toContextMessages(
  chain: readonly TranscriptRecord[],
  model: string,
): readonly ContextMessage[] {
  return chain.flatMap((record) => {
    const message = known.get(record) ?? remember(record);
    if (message === null) return [];
    const isForeign = record.type === 'assistant' && !isSameModel(askedModelOf(record), model);
    return isForeign ? withoutThoughts(message) : message;
  });
}

const known = new WeakMap<TranscriptRecord, ContextMessage | null>();

function remember(record: TranscriptRecord): ContextMessage | null {
  const message = toContextMessage(record);
  known.set(record, message);
  return message;
}

function toContextMessage(record: TranscriptRecord): ContextMessage | null {
  const { uuid, timestamp } = record;
  const base = { uuid, atMs: Date.parse(timestamp), apiId: null, usage: null };
  switch (record.type) {
    case 'user':
      return { ...base, role: 'user', content: sendable(blocksOf(record.message.content)) };
    case 'attachment':
      return { ...base, role: 'user', content: sendable(record.attachment.content) };
    case 'assistant': {
      // Synthetic messages tell people what went wrong; the model never sees them.
      if (record.isApiErrorMessage === true) return null;
      const { id: apiId, content } = record.message;
      const usage = record.everloop?.isKept === true ? null : record.message.usage;
      return { ...base, role: 'assistant', content: sendable(content), apiId, usage };
    }
    case 'system':
      return null;
  }
}

const blocksOf = (content: string | readonly ContentBlockParam[]): readonly ContentBlockParam[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** The API refuses texts of white space only, which models do write. */
const sendable = (content: readonly ContentBlockParam[]): readonly ContentBlockParam[] =>
  content.filter((block) => block.type !== 'text' || block.text.trim() !== '');

const askedModelOf = ({ everloop, message }: AssistantRecord): string =>
  everloop?.askedModel ?? message.model;

const isSameModel = (a: string, b: string): boolean => withoutDate(a) === withoutDate(b);

/** Thoughts are signed for the model that had them; another one's API refuses them (spec/loop 4.8). */
function withoutThoughts(message: ContextMessage): ContextMessage {
  return { ...message, content: message.content.filter((block) => !isThought(block)) };
}

export const isThought = ({ type }: ContentBlockParam): boolean =>
  type === 'thinking' || type === 'redacted_thinking';
