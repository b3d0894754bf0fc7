import { outputOf, startExample } from './run-example';

const run = (name: string): Promise<string> => outputOf(startExample(name, {}));

test('a pipeline tells each stage as it happens, and cleans up where its consumer leaves', async () => {
  const output = await run('etl-pipeline');

  expect(output).toMatch(/extracted.*rejected.*loaded.*connection closed, 11 rows/s);
  expect(output).toMatch(/leaves.*rejected.*connection closed, 0 rows/s);
});

test('a long test run tells its progress, and ends at its time limit', async () => {
  const output = await run('test-runner');

  expect(output).toMatch(/ok {3}parses.*FAIL loads.*done: stop_condition/s);
  expect(output).toMatch(/limit.*done: aborted/s);
});

test('an approval holds the agent until a person has answered, either way', async () => {
  const output = await run('approval');

  expect(output).toMatch(/yes to delete.*is gone.*done: stop_condition/s);
  expect(output).toMatch(/no to delete\n {2}done: user_denied/);
});
