import type { AutoCompactTracking } from './auto-compact-tracking';
import type { Context, Nudge, Pending } from './context';
import type { QueryParams } from './query-params';

/** Version of the State's JSON. A Worker migrates older ones at the door of a run (migrate-state.ts). */
export const STATE_VERSION = 1;

/** Everything that changes between iterations. Replaced by a named constructor, never edited.
 *  Holds references only, so that Event History stays flat however long the conversation grows. */
export interface State {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  /** null: the conversation was never compacted, and nobody tried. */
  readonly autoCompactTracking: AutoCompactTracking | null;
  readonly maxOutputTokensRecoveryCount: number;
  readonly hasAttemptedReactiveCompact: boolean;
  /** Output tokens to ask for; null: the model's default. */
  readonly maxOutputTokensOverride: number | null;
  /** Reference of the label request that still runs; null: none. */
  readonly pendingToolUseSummary: string | null;
  /** true: a Stop hook blocked, and tool rounds at most came since: the next Stop hook is told. */
  readonly stopHookActive: boolean | null;
  /** The turn that the next request belongs to; the first is 1. */
  readonly turnCount: number;
  /** Why this iteration runs; null on the first pass. */
  readonly transition: Transition | null;
}

export interface ToolUseContext {
  readonly model: string;
  readonly permissionMode: PermissionMode;
  /** The shell's folder, an absolute path. */
  readonly workingDirectory: string;
  readonly queryTracking: QueryTracking;
}

export type PermissionMode =
  'default' | 'acceptEdits' | 'plan' | 'bypassPermissions' | 'dontAsk' | 'auto';

/** A chain of queries that one message caused: the query itself has depth 0, a sub-agent's one more. */
export interface QueryTracking {
  readonly chainId: string;
  readonly depth: number;
}

export type Transition =
  | { readonly reason: 'next_turn' }
  | { readonly reason: 'collapse_drain_retry'; readonly committed: number }
  | { readonly reason: 'reactive_compact_retry' }
  | { readonly reason: 'max_output_tokens_escalate' }
  | { readonly reason: 'max_output_tokens_recovery'; readonly attempt: number }
  | { readonly reason: 'stop_hook_blocking' }
  | { readonly reason: 'token_budget_continuation' };

/** spec/loop 4.12: what a truncated reply is asked for again. */
export const ESCALATED_OUTPUT_TOKENS = 64_000;

const context = (leaf: string | null, ...pending: readonly Pending[]): Context => ({
  leaf,
  pending,
});
export const nudge = (kind: Nudge, percent?: number): Pending => ({
  type: 'nudge',
  nudge: kind,
  ...(percent !== undefined && { percent }),
});

/** The first State of a query, and the seven ways to the next one (spec/loop table 1.3). */
export const State = {
  initial(params: QueryParams): State {
    return {
      messages: params.messages,
      toolUseContext: params.toolUseContext,
      autoCompactTracking: params.autoCompactTracking ?? null,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: params.maxOutputTokensOverride,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: 1,
      transition: null,
    };
  },

  /** No transition: what the iteration learnt on its way to the decision. */
  informed(state: State, learnt: Pick<State, 'autoCompactTracking' | 'toolUseContext'>): State {
    return { ...state, ...learnt };
  },

  /** Tools ran and nothing asks to stop: their results, and what came in meanwhile, go to the model. */
  nextTurn(
    state: State,
    next: {
      leaf: string;
      pending: readonly Pending[];
      toolUseContext: ToolUseContext;
      pendingToolUseSummary: string | null;
    },
  ): State {
    return {
      messages: context(next.leaf, ...next.pending),
      toolUseContext: next.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: next.pendingToolUseSummary,
      stopHookActive: state.stopHookActive,
      turnCount: state.turnCount + 1,
      transition: { reason: 'next_turn' },
    };
  },

  /** The prompt was too long and staged collapses could be committed: the shorter view is tried. */
  collapseDrainRetry(state: State, next: { leaf: string; committed: number }): State {
    return {
      messages: context(next.leaf),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: state.turnCount,
      transition: { reason: 'collapse_drain_retry', committed: next.committed },
    };
  },

  /** The prompt was too long and was summarised: at most once until a turn succeeds (spec/loop 1.6). */
  reactiveCompactRetry(state: State, next: { leaf: string }): State {
    return {
      messages: context(next.leaf),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: null,
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: true,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: state.turnCount,
      transition: { reason: 'reactive_compact_retry' },
    };
  },

  /** The capped output limit was hit: the same request again with the large one; the part is dropped. */
  maxOutputTokensEscalate(state: State, next: { requestLeaf: string }): State {
    return {
      messages: context(next.requestLeaf),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: state.maxOutputTokensRecoveryCount,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: ESCALATED_OUTPUT_TOKENS,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: state.turnCount,
      transition: { reason: 'max_output_tokens_escalate' },
    };
  },

  /** The output limit was hit: the part is kept and the model is asked to go straight on. */
  maxOutputTokensRecovery(state: State, next: { leaf: string }): State {
    const attempt = state.maxOutputTokensRecoveryCount + 1;
    return {
      messages: context(next.leaf, nudge('output_limit')),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: attempt,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: state.turnCount,
      transition: { reason: 'max_output_tokens_recovery', attempt },
    };
  },

  /** A Stop hook blocked: its feedback goes to the model. The compaction flag stays: resetting it once
   *  made an endless compact → too long → error → hook → compact loop (spec/loop 1.4). */
  stopHookBlocking(state: State, next: { leaf: string }): State {
    return {
      messages: context(next.leaf),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: state.hasAttemptedReactiveCompact,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: true,
      turnCount: state.turnCount,
      transition: { reason: 'stop_hook_blocking' },
    };
  },

  /** The model stopped early and its token budget is not used up: it is asked to go on. */
  tokenBudgetContinuation(state: State, next: { leaf: string; nudge: Pending }): State {
    return {
      messages: context(next.leaf, next.nudge),
      toolUseContext: state.toolUseContext,
      autoCompactTracking: state.autoCompactTracking,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      turnCount: state.turnCount,
      transition: { reason: 'token_budget_continuation' },
    };
  },
};
