import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { ContextMessage } from './context-message';

/** A reply and everything up to the next one. Cutting between rounds never separates a call from its result.
 *  What stands before the first round (the first prompt, a summary) is part of none. Indexes of messages. */
export interface Round {
  readonly from: number;
  /** Behind the reply and its results, before what users or the engine said next; `from` when the two cannot
   *  be told apart. */
  readonly workUntil: number;
  readonly until: number;
}

export function toRounds(messages: readonly ContextMessage[]): readonly Round[] {
  const lastResults = lastResultsOf(messages);
  const starts: number[] = [];
  let reply: string | null = null;
  let isReplying = false;
  let openUntil = -1;
  for (const [index, { role, apiId }] of messages.entries()) {
    if (role === 'assistant') {
      // Blocks without an id belong together when nothing stands between them.
      const isSameReply = apiId === reply && (apiId !== null || isReplying);
      if (!isSameReply && index > openUntil) starts.push(index);
      reply = apiId;
    }
    isReplying = role === 'assistant';
    openUntil = Math.max(openUntil, lastResults.get(index) ?? -1);
  }
  return starts.map((from, at) => {
    const until = starts[at + 1] ?? messages.length;
    return { from, workUntil: workUntilOf(messages, from, until), until };
  });
}

/** Index of the last result of a message's calls, by index of the message. */
function lastResultsOf(messages: readonly ContextMessage[]): ReadonlyMap<number, number> {
  const calls = new Map<string, number>();
  const lastResults = new Map<number, number>();
  for (const [index, { content }] of messages.entries()) {
    for (const block of content) {
      if (block.type === 'tool_use') calls.set(block.id, index);
      if (block.type !== 'tool_result') continue;
      const call = calls.get(block.tool_use_id);
      if (call !== undefined) lastResults.set(call, index);
    }
  }
  return lastResults;
}

function workUntilOf(messages: readonly ContextMessage[], from: number, until: number): number {
  const round = messages.slice(from, until);
  const said = round.findIndex(({ role, content }) => role === 'user' && !content.every(isResult));
  if (said === -1) return until;
  const isMixed = round.slice(said).some((message) => {
    return message.role === 'assistant' || message.content.some(isResult);
  });
  return isMixed ? from : from + said;
}

const isResult = ({ type }: ContentBlockParam): boolean => type === 'tool_result';

/** Index of the first message that a user wrote, or stands for one; it stays in every view. */
export const firstUserMessage = (messages: readonly ContextMessage[]): number =>
  messages.findIndex(({ role }) => role === 'user');

export const callsOf = (
  messages: readonly ContextMessage[],
): readonly Extract<ContentBlockParam, { type: 'tool_use' }>[] =>
  messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use'));
