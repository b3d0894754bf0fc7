import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../../src/tools/bash';
import { OutcomeUnknown } from '../../../src/tools/outcome-unknown';
import { readProcess } from '../../../src/tools/shell/process-table';
import { abandon } from '../../../src/tools/shell/start-claim';
import type { CommandFiles } from '../../../src/tools/shell/wrapper-script';
import type { ToolContext } from '../../../src/tools/tool';
import { kill } from '../../support/kill';
import { transpiled } from '../../support/transpiled';
import { createWorkspace, textOf } from '../tool-call';
import type { Workspace } from '../tool-call';
import { until } from './until';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });

let workspace: Workspace;
let call: ToolContext;
let again: ToolContext;
beforeEach(async () => {
  workspace = await createWorkspace();
  call = workspace.context();
  again = { ...call, attempt: 2 };
});
afterEach(() => workspace.remove());

const inCall = (name: string) => path.join(call.callFolder, name);

/** Runs the first attempt in a process of its own and kills that once the file exists. */
async function loseWorker(command: string, whenExists: string): Promise<void> {
  const script = transpiled(path.join(__dirname, 'first-attempt.ts'));
  const words = [command, workspace.folder, call.callFolder];
  const worker = spawn(process.execPath, [script, ...words], { stdio: 'inherit' });
  await until(() => existsSync(whenExists));
  await kill(worker);
}

test('a new attempt waits for the command of a killed Worker; no byte is lost or doubled', async () => {
  const command = 'for i in $(seq 1 100); do echo $i; sleep 0.02; done; mkdir sub; cd sub';
  await loseWorker(command, inCall('output'));
  const seenBefore = await readFile(inCall('output'), 'utf8');

  const result = await bash.call({ command }, again);

  const rows = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
  expect(textOf(result)).toBe(rows.join('\n'));
  expect(seenBefore.length).toBeLessThan(textOf(result).length);
  expect(result.workingDirectory).toBe(path.join(workspace.folder, 'sub'));
});

test('a command that ended while no Worker was there is adopted, not repeated', async () => {
  const command = 'echo run >> runs; echo out; exit 5';
  await loseWorker(command, inCall('exit'));
  await until(async () => (await readFile(inCall('exit'), 'utf8')) === '5\n');

  await expect(bash.call({ command }, again)).rejects.toThrow('Exit code 5\nout');

  expect(await readFile(path.join(workspace.folder, 'runs'), 'utf8')).toBe('run\n');
});

test('the timeout counts from the first start', async () => {
  const command = 'sleep 600';
  await loseWorker(command, inCall('process.1'));
  await until(async () => (await readFile(inCall('process.1'), 'utf8')).endsWith('\n'));
  const startedAt = Date.now();

  await expect(bash.call({ command, timeout: 1 }, again)).rejects.toThrow(
    'timed out after 0.001 s',
  );

  expect(Date.now() - startedAt).toBeLessThan(60_000);
});

test('where the disk hides whether a command was started, its outcome is unknown', async () => {
  const files = { process: path.join(call.callFolder, 'no', 'such', 'folder', 'process.1') };

  await expect(abandon(files as CommandFiles)).rejects.toThrow(OutcomeUnknown);
});

test('a new attempt can stop the command of a killed Worker', async () => {
  const command = 'setsid sleep 60 & echo $! > pid; echo > ready; sleep 60';
  await loseWorker(command, path.join(workspace.folder, 'ready'));
  const signal = AbortSignal.abort(new Error('stopped'));

  await expect(bash.call({ command }, { ...again, signal })).rejects.toThrow('stopped');

  const pid = Number(await readFile(path.join(workspace.folder, 'pid'), 'utf8'));
  expect(readProcess(pid)?.isZombie ?? true).toBe(true);
});

test('a command that was killed with its Worker has an unknown outcome, told with its output', async () => {
  const command = 'echo half; echo > ready; sleep 60; echo rest';
  await loseWorker(command, path.join(workspace.folder, 'ready'));
  const [pid] = (await readFile(inCall('process.1'), 'utf8')).split(' ');
  process.kill(-Number(pid), 'SIGKILL');

  const result = bash.call({ command }, again);

  await expect(result).rejects.toThrow(OutcomeUnknown);
  await expect(result).rejects.toThrow(/may or may not have finished[^]*half/);
});

test('when only this Worker goes the command is left running, for the next attempt', async () => {
  const command = 'echo one; until [ -e go ]; do sleep 0.02; done; echo two';
  const gone = new AbortController();
  const first = bash.call({ command }, { ...call, workerGone: gone.signal });
  await until(() => existsSync(inCall('process.1')));

  gone.abort(new Error('shutdown'));
  await expect(first).rejects.toThrow('shutdown');
  await writeFile(path.join(workspace.folder, 'go'), '');
  const result = await bash.call({ command }, again);

  expect(result.content).toBe('one\ntwo');
});

test('a start that did not come to its claim is taken over: it never runs, and the new one does', async () => {
  await mkdir(call.callFolder);
  await writeFile(inCall('command.1'), 'echo run >> runs');

  const result = await bash.call({ command: 'echo run >> runs; echo new' }, again);

  expect(result.content).toBe('new');
  expect(await readFile(inCall('process.1'), 'utf8')).toBe('abandoned\n');
  expect(await readFile(path.join(workspace.folder, 'runs'), 'utf8')).toBe('run\n');
});

test('of two attempts that start at the same time, one runs the command', async () => {
  const command = 'echo run >> runs';

  const attempts = Array.from({ length: 6 }, () => bash.call({ command }, again));
  const results = await Promise.allSettled(attempts);

  expect(results.some((result) => result.status === 'fulfilled')).toBe(true);
  expect(await readFile(path.join(workspace.folder, 'runs'), 'utf8')).toBe('run\n');
});

test('a pid that belongs to another process by now is not taken for the command', async () => {
  await mkdir(call.callFolder);
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  await writeFile(inCall('command.1'), 'sleep 60');
  await writeFile(inCall('output'), '');
  await writeFile(inCall('process.1'), `${process.pid} ${boot} 1\n`);

  await expect(bash.call({ command: 'sleep 60' }, again)).rejects.toThrow(OutcomeUnknown);
});

test('a call folder of two attempts holds one output', async () => {
  await bash.call({ command: 'echo once' }, call);
  const adopted = await bash.call({ command: 'echo once' }, again);

  expect(adopted.content).toBe('once');
  expect(
    (await readdir(call.callFolder)).filter((name) => name.startsWith('process')),
  ).toHaveLength(1);
  await rm(call.callFolder, { recursive: true });
});
