import { crossedLimit, elapsedMs, endAtLimit } from '../../src/loop/limits';
import type { LoopEvent } from '../../src/loop/events';
import { costOfQuery, ownCostOfQuery, Tally, tokensOfQuery } from '../../src/loop/tally';
import { call, reply, usageOf } from './builders';

const usage = usageOf({
  input_tokens: 100,
  output_tokens: 10,
  cache_creation_input_tokens: 1,
  cache_read_input_tokens: 1_000,
});
const told: LoopEvent = { type: 'assistant', reply: reply({ usage, toolUses: [call('a')] }) };
const tally = Tally.after(Tally.start(1_000), told);

test('tokens that were read from the cache do not count', () => {
  expect(tokensOfQuery(tally)).toBe(111);
});

test('what sub-agents have used counts, but not as requests of the query itself', () => {
  const both = Tally.afterSubAgent(Tally.afterSubAgent(tally, { costUsd: 1, tokens: 5 }), {
    costUsd: 2,
    tokens: 6,
  });

  expect(tokensOfQuery(both)).toBe(122);
  expect(costOfQuery(both) - ownCostOfQuery(both)).toBeCloseTo(3);
});

test('time that people kept it waiting does not count', () => {
  const parked = Tally.afterPark(Tally.afterPark(tally, 300), 200);

  expect(elapsedMs(parked, 2_000)).toBe(500);
});

test.each([
  [{ maxBudgetUsd: 0.000_001 }, 'usd'],
  [{ maxTokens: 110 }, 'tokens'],
  [{ maxMs: 999 }, 'time'],
  [{ maxBudgetUsd: 1, maxTokens: 111, maxMs: 1_000 }, null],
  [{ maxBudgetUsd: null, maxTokens: null, maxMs: null }, null],
  [{}, null],
])('%j: over the limit is %s', (limits, crossed) => {
  expect(crossedLimit(limits, tally, 2_000)).toBe(crossed);
});

test('a query ends at its limit with a result for each of its calls', () => {
  const { id, recordId } = call('a');

  expect(endAtLimit({ maxTokens: 1 }, told, tally, 2_000)).toMatchObject({
    messages: { pending: [{ type: 'tool_result', toolUse: { id, recordId } }] },
    terminal: { reason: 'budget_exhausted', limit: 'tokens' },
  });
});

test('where people are asked for more, the limit is no end', () => {
  expect(endAtLimit({ maxTokens: 1, onLimit: 'pause' }, told, tally, 2_000)).toBeNull();
});
