import type { Pending } from '../../src/loop/context';
import { ESCALATED_OUTPUT_TOKENS, type State } from '../../src/loop/state';
import { usedState } from './builders';

/** The seven named constructors; given, so that a changed copy can be held against the table as well. */
export type Constructors = typeof State;

export interface Row {
  readonly reason: NonNullable<State['transition']>['reason'];
  readonly after: State;
  readonly expected: State;
}

export const note: Pending = { type: 'message', messageId: 'note' };
export const movedContext = { ...usedState().toolUseContext, workingDirectory: '/moved' };
const nudge: Pending = { type: 'nudge', nudge: 'output_limit' };
const at = (leaf: string, ...pending: readonly Pending[]) => ({ leaf, pending });

/** Two States, because a flag that is kept must not be taken for one that is set. */
export const BEFORE: readonly State[] = [
  usedState(),
  usedState({ hasAttemptedReactiveCompact: false, stopHookActive: null }),
];

/** What one constructor makes of a State, and what its row of spec/loop table 1.3 says: all fields stay as they were
 *  except for those that the row names. */
export const rowsOf = (state: Constructors, before: State): readonly Row[] => [
  row(before, state.nextTurn(before, nextTurn), {
    messages: at('new', note),
    toolUseContext: movedContext,
    maxOutputTokensRecoveryCount: 0,
    hasAttemptedReactiveCompact: false,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: 'new-summary',
    turnCount: 8,
    transition: { reason: 'next_turn' },
  }),
  row(before, state.collapseDrainRetry(before, { leaf: 'new', committed: 9 }), {
    messages: at('new'),
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: null,
    transition: { reason: 'collapse_drain_retry', committed: 9 },
  }),
  row(before, state.reactiveCompactRetry(before, { leaf: 'new' }), {
    messages: at('new'),
    autoCompactTracking: null,
    hasAttemptedReactiveCompact: true,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: null,
    transition: { reason: 'reactive_compact_retry' },
  }),
  row(before, state.maxOutputTokensEscalate(before, { requestLeaf: 'new' }), {
    messages: at('new'),
    maxOutputTokensOverride: ESCALATED_OUTPUT_TOKENS,
    pendingToolUseSummary: null,
    stopHookActive: null,
    transition: { reason: 'max_output_tokens_escalate' },
  }),
  row(before, state.maxOutputTokensRecovery(before, { leaf: 'new' }), {
    messages: at('new', nudge),
    maxOutputTokensRecoveryCount: 3,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: null,
    transition: { reason: 'max_output_tokens_recovery', attempt: 3 },
  }),
  row(before, state.stopHookBlocking(before, { leaf: 'new' }), {
    messages: at('new'),
    maxOutputTokensRecoveryCount: 0,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: true,
    transition: { reason: 'stop_hook_blocking' },
  }),
  row(before, state.tokenBudgetContinuation(before, { leaf: 'new', nudge: note }), {
    messages: at('new', note),
    maxOutputTokensRecoveryCount: 0,
    hasAttemptedReactiveCompact: false,
    maxOutputTokensOverride: null,
    pendingToolUseSummary: null,
    stopHookActive: null,
    transition: { reason: 'token_budget_continuation' },
  }),
];

const nextTurn = {
  leaf: 'new',
  pending: [note],
  toolUseContext: movedContext,
  pendingToolUseSummary: 'new-summary',
};

type Changes = Partial<State> & { readonly transition: NonNullable<State['transition']> };

const row = (before: State, after: State, changes: Changes): Row => ({
  reason: changes.transition.reason,
  after,
  expected: { ...before, ...changes },
});
