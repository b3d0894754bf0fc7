import { DEFAULT_GATES } from '../../src/loop/gates';

test('unless somebody asks for more, results are kept small, the context is compacted, and safe tools start early', () => {
  const on = Object.entries(DEFAULT_GATES).flatMap(([gate, isOn]) => (isOn ? [gate] : []));

  expect(on).toEqual([
    'streamingToolExecution',
    'toolResultBudget',
    'microcompact',
    'autocompact',
    'reactiveCompact',
  ]);
});
