import { EMPTY_CONTEXT } from '../../src/loop/context';

test('the leaf that names nothing is the same in every build: it stands in Event Histories', () => {
  expect(EMPTY_CONTEXT).toBe('');
});
