import { insertedText, keepIfSame, type ContextMessage } from './context-message';
import { barelyTokens, estimateTextTokens } from './estimate-tokens';
import { callsOf, firstUserMessage, toRounds } from './rounds';
import type { Reduction } from './token-count';

/** The newest rounds stay whatever they weigh. */
const RECENT_ROUNDS = 10;

/** Rounds that were removed together. Recorded by the caller, who hands it in again with the next request. */
export interface Snip extends Reduction {
  /** uuids of the messages. */
  readonly removed: readonly string[];
  /** Stands where the first of them stood. */
  readonly boundaryText: string;
}

export interface SnipInput {
  readonly messages: readonly ContextMessage[];
  readonly tokensToFree: number;
  /** Less is not worth the change of the prefix, which costs the cache. */
  readonly leastTokens: number;
  /** uuids of messages that have to stay. */
  readonly kept: ReadonlySet<string>;
}

export interface Snipped {
  readonly messages: readonly ContextMessage[];
  readonly snip: Snip;
}

/** Removes the oldest rounds of tool use, without a model call. What users said and what was answered without a
 *  tool stays, as do the first user message and the recent rounds; calls go together with their results.
 *  null: too little can go.
 *  Source: spec/loop 3.4; which rounds go is ours. */
export function snip(input: SnipInput): Snipped | null {
  const { messages, tokensToFree, leastTokens } = input;
  const work: (readonly ContextMessage[])[] = [];
  let tokens = 0;
  for (const round of removableWork(input)) {
    if (tokens >= tokensToFree) break;
    work.push(round);
    tokens += barelyTokens(round);
  }
  const boundaryText = describe(work);
  const tokensFreed = tokens - estimateTextTokens(boundaryText);
  const last = messages.at(-1);
  if (last === undefined || tokensFreed < leastTokens) return null;
  const removed = work.flat().map(({ uuid }) => uuid);
  const made: Snip = { removed, boundaryText, tokensFreed, madeAfter: last.uuid };
  return { messages: applySnips(messages, [made]), snip: made };
}

function* removableWork(input: SnipInput): Generator<readonly ContextMessage[]> {
  const { messages, kept } = input;
  const firstUser = firstUserMessage(messages);
  for (const { from, workUntil } of toRounds(messages).slice(0, -RECENT_ROUNDS)) {
    const work = messages.slice(from, workUntil);
    const isProtected = from < firstUser || work.some(({ uuid }) => kept.has(uuid));
    if (!isProtected && callsOf(work).length > 0) yield work;
  }
}

function describe(work: readonly (readonly ContextMessage[])[]): string {
  const counts = new Map<string, number>();
  for (const { name } of callsOf(work.flat())) counts.set(name, (counts.get(name) ?? 0) + 1);
  const calls = [...counts].map(([name, count]) => `${name} ×${count}`).join(', ');
  return (
    `[${work.length} earlier ${work.length === 1 ? 'round' : 'rounds'} of tool use stood from here on ` +
    `and were removed to save room: ${calls}. Call a tool again if its result is still needed.]`
  );
}

/** The view without what was snipped. Snips of other branches and of compacted messages do nothing. */
export function applySnips(
  messages: readonly ContextMessage[],
  snips: readonly Snip[],
): readonly ContextMessage[] {
  const snipOf = new Map(snips.flatMap((one) => one.removed.map((uuid) => [uuid, one] as const)));
  const marked = new Set<Snip>();
  const view = messages.flatMap((message) => {
    const { uuid, atMs } = message;
    const snipped = snipOf.get(uuid);
    if (snipped === undefined) return [message];
    if (marked.has(snipped)) return [];
    marked.add(snipped);
    return [insertedText(`snip-${uuid}`, snipped.boundaryText, atMs)];
  });
  return keepIfSame(messages, view);
}
