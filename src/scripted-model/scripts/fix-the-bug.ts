import { join } from 'node:path';
import type { Script } from '../script';

/** Demo: a test fails, the bug is found and mended, and the test is run again, slowly enough to kill a Worker
 *  in between. The replies are written down beforehand; files, commands and their results are real. */
export const FIX_THE_BUG_PROMPT =
  'The test of sum.js fails. Find out why, fix the bug, and run the test again.';

const WRONG = 'for (let i = 1; i < numbers.length; i++)';
const RIGHT = 'for (let i = 0; i < numbers.length; i++)';

const SUM_JS = `function sum(numbers) {
  let total = 0;
  ${WRONG} total += numbers[i];
  return total;
}

module.exports = { sum };
`;

const SUM_TEST_JS = `const assert = require('node:assert');
const { sum } = require('./sum');

assert.strictEqual(sum([]), 0);
assert.strictEqual(sum([1, 2, 3]), 6);
console.log('sum: 2 checks passed');
`;

/** Content by file name; write them into the folder before the run. */
export const FIX_THE_BUG_FILES: Readonly<Record<string, string>> = {
  'sum.js': SUM_JS,
  'sum.test.js': SUM_TEST_JS,
};

/** Commands expect the folder as working directory. `slowSeconds`: how long the last command takes. */
export function fixTheBugScript(folder: string, slowSeconds = 3): Script {
  const file_path = join(folder, 'sum.js');
  return {
    match: 'conversation',
    script: [
      {
        content: [
          { type: 'text', text: '[scripted model] First I run the test, to see it fail.' },
          { type: 'tool_use', name: 'Bash', input: { command: 'node sum.test.js' } },
        ],
      },
      {
        content: [
          { type: 'text', text: '[scripted model] The sum is too small. I read the function.' },
          { type: 'tool_use', name: 'Read', input: { file_path } },
        ],
      },
      {
        content: [
          { type: 'text', text: '[scripted model] The loop skips the first number. I fix it.' },
          {
            type: 'tool_use',
            name: 'Edit',
            input: { file_path, old_string: WRONG, new_string: RIGHT },
          },
        ],
      },
      {
        content: [
          { type: 'text', text: '[scripted model] I run the test again. It takes a while.' },
          {
            type: 'tool_use',
            name: 'Bash',
            input: { command: `sleep ${slowSeconds} && node sum.test.js` },
          },
        ],
      },
      {
        content: [
          {
            type: 'text',
            text: '[scripted model] Fixed: the loop in sum.js began at 1 and left out the first number. The test passes.',
          },
        ],
      },
    ],
  };
}
