import { State } from '../../src/loop/state';
import { params, usedState } from './builders';
import { BEFORE, movedContext, rowsOf } from './transition-table';

test.each(BEFORE.flatMap((before) => rowsOf(State, before)))(
  '$reason sets and keeps exactly what its row of the table says',
  ({ after, expected }) => {
    expect(after).toStrictEqual(expected);
  },
);

test('no transition edits the State before it', () => {
  const before = usedState();

  rowsOf(State, before);

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
      toolUseContext: movedContext,
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
