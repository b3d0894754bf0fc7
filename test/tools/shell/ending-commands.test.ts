import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../../src/tools/bash';
import { readProcess } from '../../../src/tools/shell/process-table';
import { createWorkspace } from '../tool-call';
import type { Workspace } from '../tool-call';
import { until } from './until';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

const isGone = (pid: number) => readProcess(pid)?.isZombie ?? true;

/** Each of them writes its pid to a file of its name, and does not want to end. */
const STUBBORN_TREE = `
trap '' TERM
stay() { echo $BASHPID > $1.tmp; mv $1.tmp $1; while :; do sleep 0.1; done; }
export -f stay
stay child &
nohup bash -c 'trap "" TERM HUP; stay nohup' >/dev/null 2>&1 &
setsid bash -c 'trap "" TERM; stay setsid' &
(setsid bash -c '(stay orphan) & exit' & )
bash -c 'trap "" TERM; kill -STOP $BASHPID' &
stay shell`;

test('stop ends the whole tree, also what left the group and ignores SIGTERM', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped');
  const call = workspace.call(bash, { command: STUBBORN_TREE }, { signal: stop.signal });
  const names = ['child', 'nohup', 'setsid', 'orphan', 'shell'];
  const files = names.map((name) => path.join(workspace.folder, name));
  await until(() => files.every((file) => existsSync(file)));
  const pids = await Promise.all(files.map(async (file) => Number(await readFile(file, 'utf8'))));

  stop.abort(reason);
  await expect(call).rejects.toBe(reason);

  expect(pids.filter((pid) => !isGone(pid))).toEqual([]);
});

test('a command that ends on SIGTERM may clean up', async () => {
  const stop = new AbortController();
  const command = `trap 'echo cleaned > cleaned; exit' TERM; echo > ready; while :; do sleep 0.02; done`;
  const call = workspace.call(bash, { command }, { signal: stop.signal });
  await until(() => existsSync(path.join(workspace.folder, 'ready')));

  stop.abort(new Error('stopped'));
  await expect(call).rejects.toThrow('stopped');

  expect(await readFile(path.join(workspace.folder, 'cleaned'), 'utf8')).toBe('cleaned\n');
});

test('a call that is stopped before it starts runs nothing', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));

  await expect(workspace.call(bash, { command: 'touch x' }, { signal })).rejects.toThrow('stopped');

  expect(existsSync(path.join(workspace.folder, 'x'))).toBe(false);
});

test('the timeout ends the tree and the result says so, with the output until then', async () => {
  const input = { command: 'echo started; sleep 60 & echo $! > pid; wait', timeout: 400 };

  const call = workspace.call(bash, input);

  await expect(call).rejects.toThrow(/timed out after 0\.4 s[^]*\nstarted\b/);
  expect(isGone(Number(await readFile(path.join(workspace.folder, 'pid'), 'utf8')))).toBe(true);
});

test('a command that an earlier attempt ended for its time is told as timed out', async () => {
  const call = workspace.context();
  const input = { command: 'sleep 60', timeout: 100 };
  await expect(bash.call(input, call)).rejects.toThrow('timed out');

  const again = bash.call(input, { ...call, attempt: 2 });

  await expect(again).rejects.toThrow('timed out');
});

test('a group of the same number that belongs to others is left alone', async () => {
  const call = workspace.context({ signal: AbortSignal.abort(new Error('stopped')) });
  const bystander = Number((await workspace.call(bash, { command: 'sleep 60 & echo $!' })).content);
  await mkdir(call.callFolder);
  await writeFile(path.join(call.callFolder, 'command.1'), 'sleep 60');
  await writeFile(path.join(call.callFolder, 'process.1'), `${bystander} other-boot 123\n`);

  await expect(bash.call({ command: 'sleep 60' }, call)).rejects.toThrow('stopped');

  expect(isGone(bystander)).toBe(false);
  process.kill(bystander);
});
