import type { LoopEvent } from '../../src/loop/events';
import { endAtMoneyLimit } from '../../src/loop/money-limit';
import { costOf, factsOfModel } from '../../src/loop/price-table';
import { costOfQuery, Tally } from '../../src/loop/tally';
import { call, DONE, reply, usageOf } from './builders';

const SONNET = 'claude-sonnet-4-5';
/** 15 USD. */
const dear = reply({ model: SONNET, usage: usageOf({ output_tokens: 1_000_000 }) });
const told: LoopEvent = { type: 'assistant', reply: dear };
const after = (...events: readonly LoopEvent[]): Tally =>
  events.reduce((tally, event) => Tally.after(tally, event), Tally.start(0));

test('the reply that crosses the limit ends the query', () => {
  expect(endAtMoneyLimit({ maxBudgetUsd: 14.99 }, told, after(told))?.terminal).toEqual({
    reason: 'budget_exhausted',
  });
});

test('a limit that is reached and not crossed ends nothing', () => {
  expect(endAtMoneyLimit({ maxBudgetUsd: 15 }, told, after(told))).toBeNull();
});

test('all replies of the query count, each at the price of its model', () => {
  const small = reply({ model: 'claude-haiku-4-5', usage: usageOf({ input_tokens: 1_000_000 }) });
  const tally = after(told, { type: 'assistant', reply: small });

  expect(costOfQuery(tally)).toBeCloseTo(16);
});

test('only a reply is asked: what is told after it cannot have cost more', () => {
  const result: LoopEvent = { type: 'tool_result', toolUse: call('a'), outcome: DONE };

  expect(endAtMoneyLimit({ maxBudgetUsd: 1 }, result, after(told, result))).toBeNull();
});

test.each([{}, { maxBudgetUsd: null }])('without a limit there is no end (%j)', (limits) => {
  expect(endAtMoneyLimit(limits, told, after(told))).toBeNull();
});

test.each([
  ['claude-opus-4-1', 15 + 75 + 18.75 + 1.5],
  ['claude-opus-4-5', 5 + 25 + 6.25 + 0.5],
  ['claude-opus-5-1', 5 + 25 + 6.25 + 0.5],
  ['claude-sonnet-4-5', 3 + 15 + 3.75 + 0.3],
  ['claude-haiku-4-5', 1 + 5 + 1.25 + 0.1],
  ['claude-3-5-haiku-latest', 0.8 + 4 + 1 + 0.08],
  ['somebody-elses', 3 + 15 + 3.75 + 0.3],
])('%s costs %d USD for a million tokens of each kind', (model, usd) => {
  const million = usageOf({
    input_tokens: 1e6,
    output_tokens: 1e6,
    cache_creation_input_tokens: 1e6,
    cache_read_input_tokens: 1e6,
  });

  expect(costOf(model, million)).toBeCloseTo(usd);
  expect(factsOfModel(model).contextWindow).toBe(200_000);
});
