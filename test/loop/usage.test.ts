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

test('the next request carries all that the last one held, and its reply', () => {
  expect(contextTokensOf(usage)).toBe(4_321);
});
