// Needs: the build, and a Temporal server (started by the run).
import { Client, Connection } from '@temporalio/client';
import { temporalAddress } from '../support/temporal';
import { runExample } from './run-example';

test('a refactoring in the background does what a person allows, and nothing else', async () => {
  const { stdout, left } = await runExample('background-refactoring');

  const asked = [...stdout.matchAll(/^ {2}(yes|no) to (.*)$/gm)].map(([, ...said]) => said);
  expect(asked.toSorted()).toEqual([
    ['no', 'Edit README.md'],
    ['yes', 'Bash node check.js'],
    ['yes', 'Edit cart.js'],
    ['yes', 'Edit price.js'],
  ]);
  expect(stdout).toContain('exports.sumOfPrices = (items)');
  expect(stdout).toContain('exports.pay = (items) => sumOfPrices(items);');
  expect(stdout).toContain('README.md:\n# Shop\n\nDo not touch this file.\n');
  expect(left).toEqual([]);
});

test('a nightly report is fired, written and read, and its schedule is gone', async () => {
  const { stdout, left } = await runExample('nightly-report');

  expect(stdout).toContain('Answer: 46 fruits were sold');
  expect(stdout).toContain('REPORT.md:\n# Sales\n\n46 sold, most of it pears.');
  expect(stdout).toContain('nightly-report is deleted');
  await untilNoneIsListed();
  expect(left).toEqual([]);
});

/** The list of the server may be a moment behind; the test's own limit is the deadline. */
async function untilNoneIsListed(): Promise<void> {
  const connection = await Connection.connect({ address: temporalAddress() });
  try {
    const { schedule } = new Client({ connection });
    for (;;) {
      const ids: string[] = [];
      for await (const { scheduleId } of schedule.list()) ids.push(scheduleId);
      if (!ids.some((id) => id.endsWith('-nightly-report'))) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await connection.close();
  }
}
