import { costOf } from '../../src/loop/price-table';
import { addUsage, contextTokensOf, NO_USAGE } from '../../src/loop/usage';

const usage = {
  input_tokens: 1,
  output_tokens: 20,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 4_000,
};

test('usage adds up count by count', () => {
  expect(addUsage(usage, usage)).toEqual({
    input_tokens: 2,
    output_tokens: 40,
    cache_creation_input_tokens: 600,
    cache_read_input_tokens: 8_000,
  });
  expect(addUsage(NO_USAGE, usage)).toEqual(usage);
});

test('searches add up, and what did not search says nothing of them', () => {
  const searched = { ...usage, server_tool_use: { web_search_requests: 2 } };

  expect(addUsage(searched, searched).server_tool_use).toEqual({ web_search_requests: 4 });
  expect(addUsage(usage, searched).server_tool_use).toEqual({ web_search_requests: 2 });
  expect(addUsage(usage, usage)).not.toHaveProperty('server_tool_use');
});

test('a search costs a cent, whatever the model', () => {
  const searches = { ...NO_USAGE, server_tool_use: { web_search_requests: 3 } };

  expect(costOf('claude-haiku-4-5', searches)).toBeCloseTo(0.03);
});

test('the next request carries all that the last one held, and its reply', () => {
  expect(contextTokensOf(usage)).toBe(4_321);
});
