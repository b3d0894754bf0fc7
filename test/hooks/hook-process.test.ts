import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { HookReport } from '../../src/hooks/run-hooks';
import { readProcess } from '../../src/tools/shell/process-table';
import { until } from '../tools/shell/until';
import { commands, HookRig, preToolUse, prints, userPrompt } from './given';

const rig = new HookRig();
beforeEach(() => rig.open());
afterEach(() => rig.close());

/** It and its child ignore SIGTERM; both write their pids. */
const STUBBORN = `trap '' TERM; sh -c 'trap "" TERM; echo $$ >> pids; touch ready; while :; do sleep 0.05; done' & echo $$ >> pids; wait`;

async function pidsAlive(): Promise<readonly number[]> {
  const pids = (await readFile(rig.file('pids'), 'utf8')).trim().split('\n').map(Number);
  // In a container often nobody collects orphans: a zombie has ended.
  return pids.filter((pid) => readProcess(pid)?.isZombie === false);
}

test('an aborted hook is gone with its children, also those that ignore SIGTERM', async () => {
  const abort = new AbortController();
  const running = rig.run(commands('PreToolUse', STUBBORN), preToolUse(), { signal: abort.signal });
  await until(() => existsSync(rig.file('ready')));

  abort.abort(new Error('stopped by the user'));

  await expect(running).rejects.toThrow('stopped by the user');
  expect(await pidsAlive()).toEqual([]);
});

test('a hook that takes too long is ended and blocks nothing', async () => {
  const reports: HookReport[] = [];
  const set = commands('PreToolUse', { command: STUBBORN, timeout: 5 });

  const verdict = await rig.run(set, preToolUse(), {
    onFinished: async (report) => void reports.push(report),
  });

  expect(reports[0]?.outcome).toBe('timeout');
  expect(verdict.permission).toBeNull();
  expect(verdict.warnings[0]).toContain('took longer than allowed');
  expect(await pidsAlive()).toEqual([]);
});

test('a hook may close its stdin unread, however much it is told', async () => {
  const input = userPrompt('x'.repeat(1_000_000));

  const verdict = await rig.run(commands('UserPromptSubmit', 'exec <&-; echo fine'), input);

  expect(verdict).toMatchObject({ contexts: ['fine'], warnings: [] });
});

test('a hook that floods its output is heard to its end and kept to a megabyte', async () => {
  const flood = `head -c 3000000 /dev/zero | tr '\\0' x; echo late >&2`;
  const reports: HookReport[] = [];

  await rig.run(commands('PreToolUse', flood), preToolUse(), {
    onFinished: async (report) => void reports.push(report),
  });

  expect(reports[0]?.stdout).toHaveLength(1024 ** 2);
  expect(reports[0]).toMatchObject({ outcome: 'success', stderr: 'late\n' });
});

test('a hook that cannot be started is a warning', async () => {
  const verdict = await rig.run(commands('PreToolUse', 'true'), preToolUse(), {
    cwd: rig.file('nowhere'),
  });

  expect(verdict.warnings[0]).toContain('ENOENT');
});

test('with args a program runs without a shell', async () => {
  const set = commands('UserPromptSubmit', { command: 'printf', args: ['%s', '$HOME; exit 2'] });

  expect((await rig.run(set, userPrompt())).contexts).toEqual(['$HOME; exit 2']);
});

test('what a hook leaves in the background does not hold it up', async () => {
  const set = commands('UserPromptSubmit', 'sleep 30 & echo $! > pids; echo done');

  const verdict = await rig.run(set, userPrompt());

  expect(verdict.contexts).toEqual(['done']);
  for (const pid of await pidsAlive()) process.kill(pid);
});

test.each([
  [
    'in the settings',
    { command: 'until [ -e go ]; do sleep 0.01; done; touch ended', async: true },
  ],
  [
    'by its first line',
    { command: `${prints({ async: true })}; until [ -e go ]; do sleep 0.01; done; touch ended` },
  ],
])('an async hook, said so %s, is not waited for', async (_, hook) => {
  const reports: HookReport[] = [];

  const verdict = await rig.run(commands('PreToolUse', hook, 'touch go'), preToolUse(), {
    onFinished: async (report) => void reports.push(report),
  });

  expect(verdict.permission).toBeNull();
  expect(reports.map(({ isDetached }) => isDetached)).toContain(true);
  await until(() => existsSync(rig.file('ended')));
});

test('an async hook has its own time and is ended after it', async () => {
  const line = prints({ async: true, asyncTimeout: 100 });

  await rig.run(commands('PreToolUse', `echo $$ > pids; ${line}; exec sleep 30`), preToolUse());

  await until(() => existsSync(rig.file('pids')));
  await until(async () => (await pidsAlive()).length === 0);
});
