import { resolveModel } from '../../src/settings/model-alias';

test('the strongest wish counts, and an alias is a model', () => {
  expect(resolveModel(null, undefined, '')).toBe('claude-sonnet-5-5');
  expect(resolveModel(undefined, 'Opus', 'haiku')).toBe('claude-opus-5-5');
  expect(resolveModel('my-model', 'opus')).toBe('my-model');
  expect(resolveModel('default', 'opus')).toBe('claude-sonnet-5-5');
});
