import { Locals } from '../../src/loop/locals';
import { TokenBudget, tokenBudgetIn } from '../../src/loop/token-budget';
import {
  call,
  compacted,
  FULL,
  gates,
  params,
  reply,
  toolReply,
  truncated,
  usageOf,
} from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const budget = { gates: gates({ tokenBudget: true }), tokenBudget: 1_000 };
const spends = (output_tokens: number) => reply({ usage: usageOf({ output_tokens }) });

test('at 89 percent the model is asked to go on, at 90 it may stop', async () => {
  const deps = scriptedDeps([spends(899), spends(1)]);

  const run = await runLoop(params(budget), deps);

  expect(reasonsOf(run)).toEqual(['token_budget_continuation']);
  expect(deps.requests[1]?.messages).toEqual({
    leaf: 'reply-leaf',
    pending: [{ type: 'nudge', nudge: 'token_budget', percent: 89 }],
  });
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('after three continuations, two short steps in a row mean that the work is done', async () => {
  const deps = scriptedDeps([600, 600, 600, 499, 499].map(spends));

  const run = await runLoop(params({ ...budget, tokenBudget: 1_000_000 }), deps);

  expect(reasonsOf(run)).toHaveLength(4);
});

test('a model that only ever takes short steps is asked three times', async () => {
  const deps = scriptedDeps([1, 1, 1, 1].map(spends));

  const run = await runLoop(params({ ...budget, tokenBudget: 1_000_000 }), deps);

  expect(reasonsOf(run)).toHaveLength(3);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('one long step keeps it going', async () => {
  const deps = scriptedDeps([1, 1, 1, 500, 1, 1].map(spends));

  const run = await runLoop(params({ ...budget, tokenBudget: 1_000_000 }), deps);

  expect(deps.requests).toHaveLength(6);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('tokens of tool rounds, of partial replies and of replies behind a summary count', async () => {
  const usage = usageOf({ output_tokens: 300 });
  const steps = [{ ...toolReply(call('a')), usage }, truncated({ usage }), FULL, reply({ usage })];
  const deps = scriptedDeps(steps, { compactions: [compacted()] });

  const run = await runLoop(params(budget), deps);

  expect(reasonsOf(run)).toEqual(['next_turn', 'max_output_tokens_recovery']);
});

test('Stop hooks are heard before the budget', async () => {
  const early = reply({ hasStopHooks: true, usage: usageOf({ output_tokens: 10 }) });
  const deps = scriptedDeps([early], { verdicts: [{ type: 'prevented', leaf: 'why' }] });

  const run = await runLoop(params(budget), deps);

  expect(run.terminal).toEqual({ reason: 'stop_hook_prevented' });
});

test.each([
  ['the gate is off', { ...budget, gates: gates({}) }],
  ['the prompt names none', { gates: budget.gates }],
  ['the query is a sub-agent', { ...budget, toolUseContext: nested() }],
])('there is no budget if %s', async (_why, given) => {
  const run = await runLoop(params(given), scriptedDeps([spends(1)]));

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(Locals.initial(params(given)).tokenBudget).toBeNull();
});

test('a budget of nothing is used up', () => {
  expect(TokenBudget.mayContinue(TokenBudget.of(0))).toBe(false);
});

test.each([
  ['+500k', 500_000],
  ['+500k fix the tests', 500_000],
  ['fix the tests +1.5m', 1_500_000],
  ['fix the tests +2M ', 2_000_000],
  ['please use 2M tokens for it', 2_000_000],
  ['Spend 10k tokens', 10_000],
  ['add +500k to the total', null],
  ['use 500 tokens', null],
  ['a+500k', null],
  ['', null],
])('%j names %p', (prompt, tokens) => {
  expect(tokenBudgetIn(prompt)).toBe(tokens);
});

function nested() {
  return { ...params().toolUseContext, queryTracking: { chainId: 'chain', depth: 1 } };
}
