import {
  collapsedUuids,
  commit,
  project,
  type CollapsedSpan,
  type CollapseLog,
} from './context-collapse';
import type { ContextMessage } from './context-message';
import type { ContextLimits } from './context-limits';
import { barelyTokens, estimateTextTokens } from './estimate-tokens';
import { callsOf, firstUserMessage, toRounds, type Round } from './rounds';
import { summarise } from './span-summary';
import { tokenCount, uncountedTokens } from './token-count';

/** Parts of the effective window. Source: spec/loop 3.6 for the second, the others are ours. */
const STAGE_AT = 0.6;
const COMMIT_AT = 0.9;
const COMMIT_DOWN_TO = 0.7;

/** The newest rounds stay as they are. */
const RECENT_ROUNDS = 10;
const ROUNDS_PER_SPAN = 8;

export interface Collapsed {
  /** The view. */
  readonly messages: readonly ContextMessage[];
  /** The same object when nothing was staged or committed. */
  readonly collapseLog: CollapseLog;
  /** What the last reply still counts. */
  readonly tokensFreed: number;
}

/** Stages spans as the context fills up, and brings them into the view when it is high.
 *  `tokensFreed`: by earlier steps. */
export function collapse(
  messages: readonly ContextMessage[],
  log: CollapseLog,
  { effectiveWindow }: ContextLimits,
  tokensFreed: number,
): Collapsed {
  const viewOf = (collapseLog: CollapseLog): Collapsed => ({
    messages: project(messages, collapseLog),
    collapseLog,
    tokensFreed: uncountedTokens(messages, collapseLog.committed),
  });
  const view = viewOf(log);
  const tokens = tokenCount(view.messages, tokensFreed + view.tokensFreed);
  if (tokens < effectiveWindow * STAGE_AT) return view;
  const staged = stage(messages, log);
  if (tokens < effectiveWindow * COMMIT_AT) return { ...view, collapseLog: staged };
  return viewOf(commit(messages, staged, tokens - effectiveWindow * COMMIT_DOWN_TO).log);
}

/** Prepares every span of old tool use that is complete: full, or ended by what somebody said. */
export function stage(messages: readonly ContextMessage[], log: CollapseLog): CollapseLog {
  const taken = collapsedUuids(messages, log);
  const staged = spansOf(messages, taken).flatMap((span) => toCollapsed(span));
  return staged.length === 0 ? log : { ...log, staged: [...log.staged, ...staged] };
}

function spansOf(
  messages: readonly ContextMessage[],
  taken: ReadonlySet<string>,
): readonly (readonly ContextMessage[])[] {
  const firstUser = firstUserMessage(messages);
  const spans: (readonly ContextMessage[])[] = [];
  let run: Round[] = [];
  const close = (): void => {
    spans.push(run.flatMap(({ from, workUntil }) => messages.slice(from, workUntil)));
    run = [];
  };
  for (const round of toRounds(messages).slice(0, -RECENT_ROUNDS)) {
    const work = messages.slice(round.from, round.workUntil);
    const isFree = round.from > firstUser && !work.some(({ uuid }) => taken.has(uuid));
    if (!isFree || callsOf(work).length === 0) {
      close();
      continue;
    }
    run.push(round);
    if (run.length === ROUNDS_PER_SPAN || round.workUntil < round.until) close();
  }
  return spans;
}

/** Nothing, where the summary would take as much room. */
function toCollapsed(span: readonly ContextMessage[]): readonly CollapsedSpan[] {
  const [first] = span;
  const last = span.at(-1);
  if (first === undefined || last === undefined) return [];
  const summary = summarise(span);
  const tokensFreed = barelyTokens(span) - estimateTextTokens(summary);
  if (tokensFreed <= 0) return [];
  return [{ fromUuid: first.uuid, toUuid: last.uuid, summary, tokensFreed }];
}
