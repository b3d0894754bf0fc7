import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** What an example prints, run as its reader would. Fails: when it does not end with exit code 0. */
async function outputOf(name: string): Promise<string> {
  const file = path.join(__dirname, '../../examples', `${name}.ts`);
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--require', require.resolve('tsx/cjs')],
    file,
  ]);
  return stdout;
}

test('a pipeline tells each stage as it happens, and cleans up where its consumer leaves', async () => {
  const output = await outputOf('etl-pipeline');

  expect(output).toMatch(/extracted.*rejected.*loaded.*connection closed, 11 rows/s);
  expect(output).toMatch(/leaves.*rejected.*connection closed, 0 rows/s);
});

test('a long test run tells its progress, and ends at its time limit', async () => {
  const output = await outputOf('test-runner');

  expect(output).toMatch(/ok {3}parses.*FAIL loads.*done: stop_condition/s);
  expect(output).toMatch(/limit.*done: aborted/s);
});

test('an approval holds the agent until a person has answered, either way', async () => {
  const output = await outputOf('approval');

  expect(output).toMatch(/yes to delete.*is gone.*done: stop_condition/s);
  expect(output).toMatch(/no to delete\n {2}done: user_denied/);
});
