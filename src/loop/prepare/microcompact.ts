import type { ContextMessage } from './context-message';
import { estimateTextTokens } from './estimate-tokens';
import { firstChars, lastChars } from './excerpt';
import type { Replaced } from './tool-result-budget';
import {
  listToolResults,
  replaceResults,
  textsOf,
  type PlaceFor,
  type Replacement,
  type ToolResult,
} from './tool-results';

/** Tools whose old results may go: what they showed can be had again. */
const COMPACTABLE_TOOLS: ReadonlySet<string> = new Set([
  'Read',
  'Bash',
  'Grep',
  'Glob',
  'WebSearch',
  'WebFetch',
  'Edit',
  'Write',
]);

/** The newest of them stay whole. */
const RECENT_RESULTS = 5;
/** By then the server's cache is cold: a changed prefix costs nothing. */
const COLD_AFTER_MS = 60 * 60 * 1_000;
const CLEARED = '[This old result was cleared to save room. Call the tool again if it is needed.]';
const OVERSIZED_TOKENS = 20_000;
const KEPT_CHARS = 2_000;

/** Clears all but the newest results once the last reply is an hour old.
 *  Source: spec/loop 3.5. */
export function microcompactByTime(messages: readonly ContextMessage[], nowMs: number): Replaced {
  const reply = messages.findLast(({ role }) => role === 'assistant');
  if (reply === undefined || nowMs - reply.atMs < COLD_AFTER_MS) return { messages, fresh: [] };
  const fresh = oldResults(messages)
    .filter(({ text }) => text !== CLEARED)
    .map(({ toolUseId }): Replacement => ({ toolUseId, text: CLEARED, original: null }));
  return { messages: replaceResults(messages, textsOf(fresh)), fresh };
}

/** Cuts oversized texts to their beginning and end, once newer results have come.
 *  Source: spec/loop 3.5; the figures are ours. */
export function microcompactBySize(
  messages: readonly ContextMessage[],
  placeFor: PlaceFor,
): Replaced {
  const fresh = oldResults(messages).flatMap(({ toolUseId, text }) =>
    text === null || estimateTextTokens(text) <= OVERSIZED_TOKENS
      ? []
      : [cutDown(toolUseId, text, placeFor(toolUseId))],
  );
  return { messages: replaceResults(messages, textsOf(fresh)), fresh };
}

const oldResults = (messages: readonly ContextMessage[]): readonly ToolResult[] =>
  listToolResults(messages)
    .filter(({ tool }) => COMPACTABLE_TOOLS.has(tool))
    .slice(0, -RECENT_RESULTS);

function cutDown(toolUseId: string, text: string, path: string | null): Replacement {
  const beginning = firstChars(text, KEPT_CHARS);
  const end = lastChars(text, KEPT_CHARS);
  const cut = text.length - beginning.length - end.length;
  const place = path === null ? '' : ` The whole text is in: ${path}`;
  return {
    toolUseId,
    text: `${beginning}\n[… ${cut} of ${text.length} characters were cut here.${place}]\n${end}`,
    original: path === null ? null : text,
  };
}
