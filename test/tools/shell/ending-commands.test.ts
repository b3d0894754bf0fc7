import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../../src/tools/bash';
import { currentBoot } from '../../../src/tools/shell/process-identity';
import { readProcess } from '../../../src/tools/shell/process-table';
import { endProcessTree } from '../../../src/tools/shell/process-tree';
import { markOf } from '../../../src/tools/shell/tree-mark';
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
  const command = `trap 'echo cleaned > cleaned; exit' TERM; echo > ready; while :; do sleep 0.02; done`;
  const mark = markOf(workspace.folder);
  const [name = '', value = ''] = mark.environmentLine.split('=');
  const { pid = 0 } = spawn('bash', ['-c', command], {
    cwd: workspace.folder,
    env: { PATH: process.env['PATH'], [name]: value },
    detached: true,
  });
  await until(() => existsSync(path.join(workspace.folder, 'ready')));
  const startTime = readProcess(pid)?.startTime ?? '';

  const leader = { pid, boot: currentBoot(), startTime };
  const isOver = await endProcessTree({ leader, mark }, 60_000);

  expect(isOver).toBe(true);
  expect(await readFile(path.join(workspace.folder, 'cleaned'), 'utf8')).toBe('cleaned\n');
});

test('a call that is stopped before it starts runs nothing', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));

  await expect(workspace.call(bash, { command: 'touch x' }, { signal })).rejects.toThrow('stopped');

  expect(existsSync(path.join(workspace.folder, 'x'))).toBe(false);
});

test('the timeout ends the tree and the result says so, with the output until then', async () => {
  const command = 'echo started; sleep 60 & echo $! > pid; touch ready; wait';
  const gone = new AbortController();
  const context = workspace.context();
  const first = bash.call({ command }, { ...context, workerGone: gone.signal });
  await until(() => existsSync(path.join(workspace.folder, 'ready')));
  gone.abort(new Error('shutdown'));
  await expect(first).rejects.toThrow('shutdown');

  const call = bash.call({ command, timeout: 1 }, { ...context, attempt: 2 });

  await expect(call).rejects.toThrow(/timed out after 0\.001 s[^]*\nstarted\b/);
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
