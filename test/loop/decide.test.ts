import type { Pending } from '../../src/loop/context';
import { decide, isLastTurn, type Iteration } from '../../src/loop/decide';
import { Locals } from '../../src/loop/locals';
import { State } from '../../src/loop/state';
import { TokenBudget } from '../../src/loop/token-budget';
import type { ToolBatch } from '../../src/loop/tool-batch';
import { call, gates, params, reply, truncated, usedState } from './builders';

const result: Pending = { type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' } };
const context = usedState().toolUseContext;
const noCalls: ToolBatch = {
  toolUses: [],
  results: [],
  toolUseContext: context,
  hookStopped: false,
  terminates: false,
  structuredOutput: false,
  structuredFailures: 0,
};
const oneCall: ToolBatch = { ...noCalls, toolUses: [call('a')], results: [result] };

const iteration = (changes: Partial<Iteration> = {}): Iteration => ({
  state: State.initial(params()),
  locals: Locals.initial(params()),
  params: params(),
  outcome: reply(),
  batch: noCalls,
  attachments: [],
  advice: { type: 'none' },
  toolUseSummary: null,
  stopped: null,
  ...changes,
});

test('a stop comes before everything else that a reply could lead to', () => {
  const decision = decide(
    iteration({
      outcome: truncated({ apiError: 'prompt_too_long' }),
      batch: oneCall,
      params: params({ maxTurns: 1 }),
      stopped: { by: 'user', during: 'tools' },
    }),
  );

  expect(decision).toMatchObject({ terminal: { reason: 'aborted_tools', by: 'user' } });
});

test('calls that ran come before an error of the same reply', () => {
  const decision = decide(
    iteration({ outcome: truncated({ apiError: 'overloaded' }), batch: oneCall }),
  );

  expect(decision).toMatchObject({ state: { transition: { reason: 'next_turn' } } });
});

test('an output limit comes before an API error', () => {
  const decision = decide(iteration({ outcome: truncated({ apiError: 'overloaded' }) }));

  expect(decision).toMatchObject({
    state: { transition: { reason: 'max_output_tokens_recovery' } },
  });
});

const pastNudges = usedState({ maxOutputTokensRecoveryCount: 3 });
const promised = { ...Locals.initial(params()), tokenBudget: TokenBudget.of(1_000) };
const capped = params({ gates: gates({ cappedOutput: true }) });

test.each<[string, string, Partial<Iteration>]>([
  ['results', 'next_turn', { batch: oneCall }],
  ['a pause', 'next_turn', { outcome: reply({ stopReason: 'pause_turn' }) }],
  ['a drain', 'collapse_drain_retry', { advice: { type: 'drained', leaf: 'x', committed: 1 } }],
  ['a summary', 'reactive_compact_retry', { advice: { type: 'compacted', leaf: 'x' } }],
  ['a cut', 'max_output_tokens_escalate', { outcome: truncated(), params: capped }],
  ['another cut', 'max_output_tokens_recovery', { outcome: truncated() }],
  ['a hook', 'stop_hook_blocking', { advice: { type: 'stop_blocked', leaf: 'x' } }],
  ['a budget', 'token_budget_continuation', { locals: promised }],
])('after %s the query continues with %s', (_why, reason, changes) => {
  expect(decide(iteration(changes))).toMatchObject({
    type: 'continue',
    state: { transition: { reason } },
  });
});

test.each<[string, Partial<Iteration>]>([
  ['an answer', {}],
  ['the last cut', { outcome: truncated(), state: pastNudges }],
  ['a hook that prevents', { advice: { type: 'stop_prevented', leaf: 'x' } }],
  ['the last turn', { batch: oneCall, params: params({ maxTurns: 1 }) }],
])('after %s the query ends', (_why, changes) => {
  expect(decide(iteration(changes)).type).toBe('end');
});

test('only next_turn carries the context that the tools changed', () => {
  const moved = { ...context, workingDirectory: '/moved' };
  const state = usedState({ maxOutputTokensRecoveryCount: 0 });

  const afterTools = decide(iteration({ state, batch: { ...oneCall, toolUseContext: moved } }));
  const afterLimit = decide(
    iteration({ state, outcome: truncated(), batch: { ...noCalls, toolUseContext: moved } }),
  );

  expect(afterTools).toMatchObject({ state: { toolUseContext: moved } });
  expect(afterLimit).toMatchObject({ state: { toolUseContext: context } });
});

test('a request that a host cut off by itself counts as stopped by the user', () => {
  const messages = { leaf: 'part', pending: [] };

  const decision = decide(
    iteration({ outcome: { type: 'interrupted', messages, stream: 's', toolUses: [] } }),
  );

  expect(decision).toMatchObject({ terminal: { reason: 'aborted_streaming', by: 'user' } });
});

test('without a limit no turn is the last', () => {
  expect(isLastTurn(usedState({ turnCount: 1_000 }), params())).toBe(false);
  expect(isLastTurn(usedState({ turnCount: 2 }), params({ maxTurns: 3 }))).toBe(false);
  expect(isLastTurn(usedState({ turnCount: 3 }), params({ maxTurns: 3 }))).toBe(true);
});
