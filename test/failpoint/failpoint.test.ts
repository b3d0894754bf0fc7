// Needs: nothing but Node; starts a process of its own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULE = join(__dirname, '..', '..', 'src', 'failpoint', 'failpoint.ts');
const PROGRAM = `const { failpoint } = require(${JSON.stringify(MODULE)});
for (const name of ['one', 'two', 'one', 'three']) { failpoint(name); console.log(name); }`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-failpoint-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(environment: Readonly<Record<string, string>>) {
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--require', require.resolve('tsx/cjs'), '--eval', PROGRAM],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], ...environment } },
  );
  return { passed: stdout.trim().split('\n'), signal };
}

test('a process dies at the n-th place that it reaches, not behind it', () => {
  const log = join(folder, 'log');

  const { passed, signal } = run({ EVERLOOP_CRASH_AT: '2', EVERLOOP_CRASH_LOG: log });

  expect({ passed, signal }).toEqual({ passed: ['one'], signal: 'SIGKILL' });
  expect(readFileSync(log, 'utf8')).toBe('1 one\n2 two\n');
});

test('a place is also named by how often one of its name has been reached', () => {
  const { passed, signal } = run({ EVERLOOP_CRASH_AT: 'one:2' });

  expect({ passed, signal }).toEqual({ passed: ['one', 'two'], signal: 'SIGKILL' });
});

test('a process that is not armed passes all of them', () => {
  expect(run({})).toEqual({ passed: ['one', 'two', 'one', 'three'], signal: null });
});
