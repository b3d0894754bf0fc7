import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readProcess } from '../../../src/tools/shell/process-table';
import { until } from '../../tools/shell/until';
import { bash, call, called, recorded, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const inWorkspace = (name: string): string => path.join(at.workspace, name);
const isRunning = (pid: number): boolean => readProcess(pid)?.isZombie === false;
const HELD = 'sleep 60 & echo $! > pid; until test -e go; do sleep 0.02; done; echo done > done';

async function startCommand() {
  at = await called([bash(HELD)]);
  const worker = at.worker();
  const attempt = at.attempt();
  const running = run(at, worker, { attempt, mode: 'bypassPermissions' });
  await until(() => existsSync(inWorkspace('pid')));
  await until(async () => (await readFile(inWorkspace('pid'), 'utf8')).endsWith('\n'));
  const pid = Number(await readFile(inWorkspace('pid'), 'utf8'));
  return { worker, attempt, running, pid };
}

test('a stop ends the command and all it started, and records that', async () => {
  const { worker, attempt, running, pid } = await startCommand();

  attempt.requestStop();
  const outcome = await running;

  expect(outcome).toEqual({ type: 'interrupted' });
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(inWorkspace('done'))).toBe(false);
  expect(await recorded(at, worker)).toMatchObject({ isError: true });
  expect(await textOf(at, worker)).toContain('The user stopped this tool call');
});

test('when the attempt is over the command goes on and nothing is recorded', async () => {
  const { worker, attempt, running, pid } = await startCommand();

  attempt.end(new Error('shutdown'));
  await expect(running).rejects.toThrow('shutdown');

  const wasRunning = isRunning(pid);
  await writeFile(inWorkspace('go'), '');
  await until(() => existsSync(inWorkspace('done')));
  expect(wasRunning).toBe(true);
  expect(await recorded(at, worker)).toBeUndefined();
  process.kill(pid);
  await run(at, at.worker(), { attempt: attempt.next(), mode: 'bypassPermissions' });
});

test('when the server has forgotten the attempt its command ends and nothing is recorded', async () => {
  const { worker, attempt, running, pid } = await startCommand();

  attempt.forget();

  await expect(running).rejects.toThrow('not found');
  expect(isRunning(pid)).toBe(false);
  expect(await recorded(at, worker)).toBeUndefined();
});

test.each([
  ['Bash', bash('touch made')],
  ['Write', call('Write', { file_path: 'made', content: '' })],
])('a call of %s that is stopped before it begins has no effect', async (_name, block) => {
  at = await called([block]);
  const attempt = at.attempt();
  attempt.requestStop();

  const outcome = await run(at, at.worker(), { attempt, mode: 'bypassPermissions' });

  expect(outcome).toEqual({ type: 'interrupted' });
  expect(existsSync(inWorkspace('made'))).toBe(false);
});
