import { contextTokensOf, type Usage } from '../usage';
import type { ContextMessage } from './context-message';
import { estimateTokens } from './estimate-tokens';

/** The last reply that says what it cost. */
export interface CountedReply {
  /** Index of its first message. */
  readonly index: number;
  readonly apiId: string | null;
  /** As its last message knows it. */
  readonly usage: Usage;
}

/** null: no reply says. Results may stand between the blocks of one reply, so its first block is not always the
 *  neighbour of its last. */
export function lastCountedReply(messages: readonly ContextMessage[]): CountedReply | null {
  const last = messages.findLastIndex(({ usage }) => usage !== null);
  const { apiId, usage } = messages[last] ?? NO_REPLY;
  if (usage === null) return null;
  if (apiId === null) return { index: last, apiId, usage };
  const earlier = messages
    .slice(0, last)
    .findLastIndex((message) => message.role === 'assistant' && message.apiId !== apiId);
  const index = messages.findIndex((message, at) => at > earlier && message.apiId === apiId);
  return { index, apiId, usage };
}

const NO_REPLY = { apiId: null, usage: null };

/** Tokens that the messages take: what the last reply counted, without what was freed since, and an estimate of
 *  everything that is no part of it and stands behind its first message. No counted reply: an estimate of all.
 *  Source: spec/loop 3.7c. */
export function tokenCount(messages: readonly ContextMessage[], tokensFreed = 0): number {
  const reply = lastCountedReply(messages);
  if (reply === null) return estimateTokens(messages);
  const { index, apiId, usage } = reply;
  const behind = messages
    .slice(index + 1)
    .filter((message) => apiId === null || message.apiId !== apiId);
  return Math.max(0, contextTokensOf(usage) - tokensFreed) + estimateTokens(behind);
}

/** Something that was taken out of the view. */
export interface Reduction {
  readonly tokensFreed: number;
  /** uuid of the last message there was at the time. */
  readonly madeAfter: string;
}

/** Tokens freed by what the last counted reply did not know of: it still counts them. */
export function uncountedTokens(
  messages: readonly ContextMessage[],
  reductions: readonly Reduction[],
): number {
  const reply = lastCountedReply(messages);
  if (reply === null || reductions.length === 0) return 0;
  const since = new Set(messages.slice(reply.index).map(({ uuid }) => uuid));
  return reductions.reduce(
    (tokens, { madeAfter, tokensFreed }) => tokens + (since.has(madeAfter) ? tokensFreed : 0),
    0,
  );
}
