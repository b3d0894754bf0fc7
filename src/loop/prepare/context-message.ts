import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { Usage } from '../usage';

/** One record of the conversation as preparation sees it. Never edited: what changes is replaced by a new
 *  object, what does not stays the same object, so that callers can cache by identity. */
export interface ContextMessage {
  readonly uuid: string;
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlockParam[];
  /** ms since the epoch. */
  readonly atMs: number;
  /** id of the API reply this is a block of; null: no reply. */
  readonly apiId: string | null;
  /** Of its reply, output included. null: no reply, or one that was kept over a compaction: its usage counts
   *  a context that is gone. */
  readonly usage: Usage | null;
}

/** A text that preparation puts into the view. It is made anew for every request, so it is no record. */
export function insertedText(uuid: string, text: string, atMs: number): ContextMessage {
  return {
    uuid,
    role: 'user',
    content: [{ type: 'text', text }],
    atMs,
    apiId: null,
    usage: null,
  };
}

/** Everything behind the last compact boundary; all of it where nothing was compacted. */
export function afterLastBoundary<T>(
  records: readonly T[],
  isBoundary: (record: T) => boolean,
): readonly T[] {
  const boundary = records.findLastIndex(isBoundary);
  return boundary === -1 ? records : records.slice(boundary + 1);
}

/** The old list when the new one holds the same objects. */
export const keepIfSame = <T>(before: readonly T[], after: readonly T[]): readonly T[] =>
  before.length === after.length && after.every((one, index) => one === before[index])
    ? before
    : after;

/** The message with other content, or itself. */
export function withContent(
  message: ContextMessage,
  content: readonly ContentBlockParam[],
): ContextMessage {
  const kept = keepIfSame(message.content, content);
  return kept === message.content ? message : { ...message, content: kept };
}
