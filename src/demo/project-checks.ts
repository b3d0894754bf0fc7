import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIX_THE_BUG_FILES } from '../scripted-model/scripts/fix-the-bug';
import type { Check } from './check';

/** Sums that the project's own test does not try, so that a test made to pass is not enough. */
const OTHER_SUMS = `
const { sum } = require('./sum');
const assert = require('node:assert');
assert.strictEqual(sum([7]), 7);
assert.strictEqual(sum([4, -6, 9, 2]), 9);
`;

const COMMAND_LIMIT_MS = 10_000;

/** Whether the agent did its work: the demo runs the test itself and looks at the files. */
export function checkProject(folder: string): readonly Check[] {
  return [
    { claim: 'the test passes when the demo runs it', problem: run(folder, ['sum.test.js']) },
    { claim: 'sum.js is right for other numbers too', problem: run(folder, ['-e', OTHER_SUMS]) },
    { claim: 'sum.test.js is as it was', problem: changeOf(folder, 'sum.test.js') },
  ];
}

function run(folder: string, args: readonly string[]): string | null {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: COMMAND_LIMIT_MS,
  });
  return status === 0 ? null : `exit ${status ?? 'none'}: ${stderr.trim()}`;
}

function changeOf(folder: string, name: string): string | null {
  const content = readFileSync(join(folder, name), 'utf8');
  return content === FIX_THE_BUG_FILES[name] ? null : `it is now:\n${content}`;
}
