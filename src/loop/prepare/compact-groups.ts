import type { ContentBlockParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { insertedText, keepIfSame, withContent, type ContextMessage } from './context-message';
import { barelyTokens } from './estimate-tokens';
import { toRounds } from './rounds';

/** Dropped when the API does not say how much is too much. */
const SHARE_IF_UNKNOWN = 0.2;
const DROPPED = 'dropped-rounds';
const DROPPED_TEXT = '[The beginning of this conversation is left out: it did not fit.]';

/** Messages for a summary request that was too long, without the oldest rounds that cover the gap. The caller
 *  counts the tries. null: nothing is left to drop.
 *  Source: spec/loop 3.7i. */
export function dropOldestRounds(
  messages: readonly ContextMessage[],
  tokensOver: number | null,
): readonly ContextMessage[] | null {
  // The marker of an earlier try would be a round of its own, and dropping it no progress.
  const rest = messages[0]?.uuid === DROPPED ? messages.slice(1) : messages;
  const groups = groupsOf(rest);
  if (groups.length < 2) return null;
  const wanted =
    tokensOver === null
      ? Math.max(1, Math.floor(groups.length * SHARE_IF_UNKNOWN))
      : groupsThatCover(groups, tokensOver);
  const kept = groups.slice(Math.min(wanted, groups.length - 1)).flat();
  return withMarker(kept);
}

/** What stands before the first round is a group as well: the first prompt, or a summary. */
function groupsOf(messages: readonly ContextMessage[]): readonly (readonly ContextMessage[])[] {
  const rounds = toRounds(messages);
  const first = messages.slice(0, rounds[0]?.from);
  const groups = rounds.map(({ from, until }) => messages.slice(from, until));
  return first.length === 0 ? groups : [first, ...groups];
}

function groupsThatCover(
  groups: readonly (readonly ContextMessage[])[],
  tokensOver: number,
): number {
  let tokens = 0;
  const covered = groups.findIndex((group) => (tokens += barelyTokens(group)) >= tokensOver);
  return covered === -1 ? groups.length : covered + 1;
}

/** What is kept begins with a reply, and a request has to begin with a user message. */
function withMarker(messages: readonly ContextMessage[]): readonly ContextMessage[] {
  const reply = messages.slice(0, 1);
  return [...reply.map(({ atMs }) => insertedText(DROPPED, DROPPED_TEXT, atMs)), ...messages];
}

/** For summary requests: a marker says where an image or a document stood.
 *  Source: spec/loop 3.7h. */
export function withoutMedia(messages: readonly ContextMessage[]): readonly ContextMessage[] {
  const plain = messages.map((message) => withContent(message, message.content.map(plainBlock)));
  return keepIfSame(messages, plain);
}

function plainBlock(block: ContentBlockParam): ContentBlockParam {
  if (block.type === 'image' || block.type === 'document') return markerOf(block);
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  if (!block.content.some(isMedia)) return block;
  return {
    ...block,
    content: block.content.map((part) => (isMedia(part) ? markerOf(part) : part)),
  };
}

type Part = Exclude<ToolResultBlockParam['content'], string | undefined>[number];
type Media = Extract<Part, { type: 'image' | 'document' }>;

const isMedia = (part: Part): part is Media => part.type === 'image' || part.type === 'document';

const markerOf = ({ type }: Media): { type: 'text'; text: string } => ({
  type: 'text',
  text: `[${type}]`,
});

export interface ReactiveSplit {
  readonly toSummarise: readonly ContextMessage[];
  /** The newest round, word for word. Its usage is gone: it counted what is summarised now. */
  readonly kept: readonly ContextMessage[];
}

/** null: a single round cannot be made smaller.
 *  Source: spec/loop 6.2. */
export function splitForReactive(messages: readonly ContextMessage[]): ReactiveSplit | null {
  const rounds = toRounds(messages);
  const newest = rounds.at(-1);
  if (newest === undefined || rounds.length < 2) return null;
  return {
    toSummarise: messages.slice(0, newest.from),
    kept: messages.slice(newest.from).map(withoutUsage),
  };
}

const withoutUsage = (message: ContextMessage): ContextMessage =>
  message.usage === null ? message : { ...message, usage: null };
