import type { Pending } from '../../src/loop/context';
import { ESCALATED_OUTPUT_TOKENS, State } from '../../src/loop/state';
import { params, usedState } from './builders';

const note: Pending = { type: 'message', messageId: 'note' };
const context = { ...usedState().toolUseContext, workingDirectory: '/moved' };
const at = (leaf: string, ...pending: readonly Pending[]) => ({ leaf, pending });
const nudge: Pending = { type: 'nudge', nudge: 'output_limit' };

interface Row {
  readonly after: State;
  readonly changes: Partial<State>;
}

/** spec/loop table 1.3, cell by cell. What a row leaves out is carried over as it was. */
const rowsFrom = (before: State): readonly Row[] => [
  {
    after: State.nextTurn(before, {
      leaf: 'new',
      pending: [note],
      toolUseContext: context,
      pendingToolUseSummary: 'new-summary',
    }),
    changes: {
      messages: at('new', note),
      toolUseContext: context,
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: 'new-summary',
      turnCount: 8,
      transition: { reason: 'next_turn' },
    },
  },
  {
    after: State.collapseDrainRetry(before, { leaf: 'new', committed: 9 }),
    changes: {
      messages: at('new'),
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'collapse_drain_retry', committed: 9 },
    },
  },
  {
    after: State.reactiveCompactRetry(before, { leaf: 'new' }),
    changes: {
      messages: at('new'),
      autoCompactTracking: null,
      hasAttemptedReactiveCompact: true,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'reactive_compact_retry' },
    },
  },
  {
    after: State.maxOutputTokensEscalate(before, { requestLeaf: 'new' }),
    changes: {
      messages: at('new'),
      maxOutputTokensOverride: ESCALATED_OUTPUT_TOKENS,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'max_output_tokens_escalate' },
    },
  },
  {
    after: State.maxOutputTokensRecovery(before, { leaf: 'new' }),
    changes: {
      messages: at('new', nudge),
      maxOutputTokensRecoveryCount: 3,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'max_output_tokens_recovery', attempt: 3 },
    },
  },
  {
    after: State.stopHookBlocking(before, { leaf: 'new' }),
    changes: {
      messages: at('new'),
      maxOutputTokensRecoveryCount: 0,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: true,
      transition: { reason: 'stop_hook_blocking' },
    },
  },
  {
    after: State.tokenBudgetContinuation(before, { leaf: 'new', nudge: note }),
    changes: {
      messages: at('new', note),
      maxOutputTokensRecoveryCount: 0,
      hasAttemptedReactiveCompact: false,
      maxOutputTokensOverride: null,
      pendingToolUseSummary: null,
      stopHookActive: null,
      transition: { reason: 'token_budget_continuation' },
    },
  },
];

/** Twice, because a flag that is kept must not be mistaken for one that is set. */
const BEFORE = [
  usedState(),
  usedState({ hasAttemptedReactiveCompact: false, stopHookActive: null }),
];

test.each(
  BEFORE.flatMap((before) =>
    rowsFrom(before).map((row) => ({ ...row, before, reason: row.after.transition?.reason })),
  ),
)('$reason sets and keeps exactly what its row of the table says', ({ before, after, changes }) => {
  expect(after).toStrictEqual({ ...before, ...changes });
});

test('no transition edits the State before it', () => {
  const before = usedState();

  rowsFrom(before);

  expect(before).toStrictEqual(usedState());
});

test('a Stop hook that blocks keeps the compaction flag, so compact and hook cannot chase each other', () => {
  for (const hasAttemptedReactiveCompact of [true, false]) {
    const state = usedState({ hasAttemptedReactiveCompact });

    const after = State.stopHookBlocking(state, { leaf: 'new' });

    expect(after.hasAttemptedReactiveCompact).toBe(hasAttemptedReactiveCompact);
  }
});

test('a Stop hook that blocked once is remembered through the tool rounds that follow', () => {
  for (const stopHookActive of [true, null]) {
    const after = State.nextTurn(usedState({ stopHookActive }), {
      leaf: 'new',
      pending: [],
      toolUseContext: context,
      pendingToolUseSummary: null,
    });

    expect(after.stopHookActive).toBe(stopHookActive);
  }
});

test('a query starts with its params and nothing else', () => {
  const given = params({ maxOutputTokensOverride: 500 });

  expect(State.initial(given)).toStrictEqual({
    messages: given.messages,
    toolUseContext: given.toolUseContext,
    autoCompactTracking: null,
    maxOutputTokensRecoveryCount: 0,
    hasAttemptedReactiveCompact: false,
    maxOutputTokensOverride: 500,
    pendingToolUseSummary: null,
    stopHookActive: null,
    turnCount: 1,
    transition: null,
  });
});
