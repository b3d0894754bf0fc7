import { collapse } from './collapse-staging';
import { collapsedUuids, project, type CollapseLog } from './context-collapse';
import type { ContextLimits } from './context-limits';
import type { ContextMessage } from './context-message';
import { barelyTokens } from './estimate-tokens';
import { applySnips, snip, type Snip } from './snip';
import { lastCountedReply, tokenCount, uncountedTokens } from './token-count';
import type { Replaced } from './tool-result-budget';
import { replaceResults, type Replacement, type ResultDecisions } from './tool-results';

/** The conversation on its way through the steps of preparation, and what they decided. The caller records the
 *  decisions and hands them in again: the next request then begins with the same bytes. */
export interface View {
  readonly messages: readonly ContextMessage[];
  /** What the last reply's usage still counts although it is gone. */
  readonly tokensFreed: number;
  /** Replacements to record, at most one per result in the end. */
  readonly fresh: readonly Replacement[];
  /** A snip to record; null: none was made. */
  readonly snip: Snip | null;
  /** The same object as before when nothing changed. */
  readonly collapseLog: CollapseLog;
}

/** What earlier requests decided. */
export interface Recorded {
  readonly messages: readonly ContextMessage[];
  readonly decisions: ResultDecisions;
  /** Oldest first. */
  readonly snips: readonly Snip[];
  readonly collapseLog: CollapseLog;
}

/** The conversation as the last request sent it, and what came since. It does not ask for gates: what was sent
 *  once stays as it was sent. */
export function recordedView({ messages, decisions, snips, collapseLog }: Recorded): View {
  return {
    messages: applySnips(replaceResults(messages, decisions.replacements), snips),
    tokensFreed: uncountedTokens(messages, snips),
    fresh: [],
    snip: null,
    collapseLog,
  };
}

export function replaced(view: View, { messages, fresh }: Replaced): View {
  if (fresh.length === 0) return view;
  const counted = lastCountedReply(view.messages)?.index ?? 0;
  const changed = messages.slice(0, counted).map((after, index) => after !== view.messages[index]);
  const isChanged = (_: ContextMessage, index: number): boolean => changed[index] === true;
  const freed =
    barelyTokens(view.messages.filter(isChanged)) - barelyTokens(messages.filter(isChanged));
  return {
    ...view,
    messages,
    tokensFreed: view.tokensFreed + freed,
    fresh: [...view.fresh, ...fresh],
  };
}

/** A snip comes this close to the mark of compaction, and makes room down to the second part of it. One that
 *  frees less than the third part is not made. Ours. */
const SNIP_AT = 0.85;
const SNIP_DOWN_TO = 0.6;
const SNIP_LEAST = 0.1;

export function snipped(view: View, { autoCompactAt }: ContextLimits): View {
  const { messages, collapseLog } = view;
  const tokens = tokenCount(messages, view.tokensFreed);
  if (tokens < autoCompactAt * SNIP_AT) return view;
  const made = snip({
    messages,
    tokensToFree: tokens - autoCompactAt * SNIP_DOWN_TO,
    leastTokens: autoCompactAt * SNIP_LEAST,
    kept: collapsedUuids(messages, collapseLog),
  });
  if (made === null) return view;
  const tokensFreed = view.tokensFreed + uncountedTokens(messages, [made.snip]);
  return { ...view, messages: made.messages, tokensFreed, snip: made.snip };
}

export function collapsed(view: View, limits: ContextLimits): View {
  const { tokensFreed, ...after } = collapse(
    view.messages,
    view.collapseLog,
    limits,
    view.tokensFreed,
  );
  return { ...view, ...after, tokensFreed: view.tokensFreed + tokensFreed };
}

export function projected(view: View): View {
  const { messages, collapseLog } = view;
  return {
    ...view,
    messages: project(messages, collapseLog),
    tokensFreed: view.tokensFreed + uncountedTokens(messages, collapseLog.committed),
  };
}
