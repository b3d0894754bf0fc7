import type { ContextWarning } from '../outcomes';
import type { CollapseLog } from './context-collapse';
import type { ContextLimits } from './context-limits';
import type { ContextMessage } from './context-message';
import { microcompactBySize, microcompactByTime } from './microcompact';
import type { Snip } from './snip';
import { tokenCount } from './token-count';
import { applyToolResultBudget, MESSAGE_BUDGET_CHARS, type Replaced } from './tool-result-budget';
import type { PlaceFor, Replacement, ResultDecisions } from './tool-results';
import { collapsed, projected, recordedView, replaced, snipped, type View } from './view';

/** Which steps may act. Constant for a query (spec/loop 13.10). */
export interface PrepareGates {
  readonly toolResultBudget: boolean;
  readonly snip: boolean;
  readonly microcompactByTime: boolean;
  readonly microcompactBySize: boolean;
  /** Owns the headroom: proactive compaction waits for it. */
  readonly contextCollapse: boolean;
  readonly autocompact: boolean;
  readonly reactiveCompact: boolean;
}

export const DEFAULT_PREPARE_GATES: PrepareGates = {
  toolResultBudget: true,
  snip: false,
  microcompactByTime: true,
  microcompactBySize: true,
  contextCollapse: false,
  autocompact: true,
  reactiveCompact: true,
};

export interface PrepareInput {
  /** Behind the last compact boundary, oldest first. */
  readonly messages: readonly ContextMessage[];
  readonly gates: PrepareGates;
  readonly limits: ContextLimits;
  readonly decisions: ResultDecisions;
  /** Made in earlier requests, oldest first. */
  readonly snips: readonly Snip[];
  readonly collapseLog: CollapseLog;
  readonly nowMs: number;
  readonly placeFor: PlaceFor;
  /** false: the breaker is open, a compaction just happened, or this is a request for a summary. */
  readonly mayCompact: boolean;
  /** true: a compaction just happened, or this is a request for a summary. */
  readonly skipBlockingCheck: boolean;
  /** Called in its place in the order. */
  readonly assembleSystem: () => void;
}

export type Stage =
  | 'tool_result_budget'
  | 'snip'
  | 'microcompact_by_time'
  | 'microcompact_by_size'
  | 'context_collapse'
  | 'system_prompt'
  | 'autocompact'
  | 'blocking_check';

type Step = readonly [isOn: boolean, stage: Stage, apply: (view: View) => View];

/** What is sent, and what the caller has to record so that the next request begins with the same bytes. */
export interface Prepared extends View {
  readonly tokens: number;
  readonly warning: ContextWarning | null;
  readonly verdict: 'send' | 'compact' | 'blocked';
  /** Steps that ran, in order. */
  readonly stages: readonly Stage[];
}

/** Calls no model and keeps no state. The order is strict: each step may make the next unnecessary.
 *  Source: spec/loop 3.1. */
export function prepare(input: PrepareInput): Prepared {
  const { gates, limits, nowMs, placeFor } = input;
  const budget = (view: View): Replaced =>
    applyToolResultBudget({ ...input, ...view, limitChars: MESSAGE_BUDGET_CHARS });
  const steps: readonly Step[] = [
    [gates.toolResultBudget, 'tool_result_budget', (view) => replaced(view, budget(view))],
    [gates.snip, 'snip', (view) => snipped(view, limits)],
    [
      gates.microcompactByTime,
      'microcompact_by_time',
      (view) => replaced(view, microcompactByTime(view.messages, nowMs)),
    ],
    [
      gates.microcompactBySize,
      'microcompact_by_size',
      (view) => replaced(view, microcompactBySize(view.messages, placeFor)),
    ],
    [gates.contextCollapse, 'context_collapse', (view) => collapsed(view, limits)],
  ];
  const active = steps.filter(([isOn]) => isOn);
  const reduced = active.reduce((view, [, , apply]) => apply(view), recordedView(input));
  // A projection that was sent once stays, also for a query that makes no new ones.
  const view = gates.contextCollapse ? reduced : projected(reduced);
  input.assembleSystem();
  const tokens = tokenCount(view.messages, view.tokensFreed);
  const { verdict, checks } = judge(input, tokens);
  return {
    ...view,
    tokens,
    fresh: onePerResult(view.fresh),
    warning: warningOf(tokens, limits),
    verdict,
    stages: [...active.map(([, stage]) => stage), 'system_prompt', ...checks],
  };
}

/** Later steps win: a result that is cleared needs no file. */
const onePerResult = (fresh: readonly Replacement[]): readonly Replacement[] => [
  ...new Map(fresh.map((replacement) => [replacement.toolUseId, replacement])).values(),
];

function judge(
  { gates, limits, mayCompact, skipBlockingCheck }: PrepareInput,
  tokens: number,
): { readonly verdict: Prepared['verdict']; readonly checks: readonly Stage[] } {
  const isProactive = gates.autocompact && !gates.contextCollapse && mayCompact;
  const compaction: readonly Stage[] = isProactive ? ['autocompact'] : [];
  if (isProactive && tokens >= limits.autoCompactAt)
    return { verdict: 'compact', checks: compaction };
  // What recovers from a prompt that is too long needs the API's own error.
  const isRecoverable = gates.autocompact && (gates.reactiveCompact || gates.contextCollapse);
  if (skipBlockingCheck || isRecoverable) return { verdict: 'send', checks: compaction };
  const verdict = tokens >= limits.blockingAt ? 'blocked' : 'send';
  return { verdict, checks: [...compaction, 'blocking_check'] };
}

function warningOf(tokens: number, { errorAt, warningAt }: ContextLimits): Prepared['warning'] {
  if (tokens >= errorAt) return 'error';
  return tokens >= warningAt ? 'warning' : null;
}
