// Needs bubblewrap and user namespaces; else its tests are skipped.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../src/tools/bash';
import { findShell, stateOf, endShell } from '../../src/tools/shell/background-shell';
import { hasMark, lookAtProcesses } from '../../src/tools/shell/process-table';
import { markOf } from '../../src/tools/shell/tree-mark';
import type { ToolContext } from '../../src/tools/tool';
import { kill } from '../support/kill';
import { transpiled } from '../support/transpiled';
import { until } from '../tools/shell/until';
import { LAUNCHER, sandboxedPlace, sandboxTest, type SandboxedPlace } from './sandboxed';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });

let place: SandboxedPlace;
let call: ToolContext;
beforeEach(async () => {
  place = await sandboxedPlace();
  call = await place.context();
});
afterEach(() => place.remove());

const inWorkspace = (name: string) => path.join(place.workspace, name);

/** Everything that carries the mark of the call. */
function processesOf(callFolder: string): readonly number[] {
  const { entries } = lookAtProcesses(new Set());
  return entries
    .filter(({ pid, isZombie }) => !isZombie && hasMark(pid, markOf(callFolder)))
    .map(({ pid }) => pid);
}

/** Runs the first attempt in a process of its own and kills that once the file exists. */
async function loseWorker(command: string, whenExists: string): Promise<void> {
  const script = transpiled(path.join(__dirname, '../tools/shell/first-attempt.ts'));
  const words = [command, place.workspace, call.callFolder, JSON.stringify(call.sandbox)];
  const worker = spawn(process.execPath, [script, ...words], { stdio: 'inherit' });
  await until(() => existsSync(whenExists));
  await kill(worker);
}

sandboxTest(
  'a new attempt waits for the command of a killed Worker, which stays in its sandbox',
  async () => {
    const command = `echo one; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo x > ${place.outside}/file; mkdir sub; cd sub; echo two`;
    await loseWorker(command, inWorkspace('begun'));
    await mkdir(inWorkspace('go'));

    const result = await bash.call({ command }, { ...call, attempt: 2 });

    expect(result.content).toMatch(/^one\nbash: line 1: .*Read-only file system\ntwo$/);
    expect(result.workingDirectory).toBe(inWorkspace('sub'));
    const names = () => readdir(place.workspace);
    await until(async () => (await names()).sort().join() === 'begun,go,sub');
  },
);

sandboxTest(
  'a command that ended while no Worker was there is adopted with its exit code',
  async () => {
    const command = 'echo run >> runs; exit 5';
    await loseWorker(command, path.join(call.callFolder, 'exit'));

    await expect(bash.call({ command }, { ...call, attempt: 2 })).rejects.toThrow('Exit code 5');

    expect(await readFile(inWorkspace('runs'), 'utf8')).toBe('run\n');
  },
);

sandboxTest('stopping ends everything inside, whatever it did to get away', async () => {
  const stop = new AbortController();
  const command = `trap '' TERM; (setsid sleep 60 &) ; nohup sleep 61 & env -i setsid sleep 62 & touch begun; sleep 63`;
  const running = bash.call({ command }, { ...call, signal: stop.signal });
  await until(() => existsSync(inWorkspace('begun')));
  expect(processesOf(call.callFolder).length).toBeGreaterThan(4);

  stop.abort(new Error('stopped'));

  await expect(running).rejects.toThrow('stopped');
  expect(processesOf(call.callFolder)).toEqual([]);
});

sandboxTest('a command that takes too long is ended with all that is inside', async () => {
  const running = bash.call({ command: 'sleep 60 & sleep 60', timeout: 300 }, call);

  await expect(running).rejects.toThrow('timed out after 0.3 s');
  expect(processesOf(call.callFolder)).toEqual([]);
});

sandboxTest('signals to its own group reach nothing outside', async () => {
  await expect(bash.call({ command: 'echo a; kill -9 0' }, call)).rejects.toThrow(
    'Exit code 137\na',
  );
  expect(await readFile(path.join(call.callFolder, 'exit'), 'utf8')).toBe('137\n');
});

sandboxTest('a background shell is kept in, is found again, and is ended', async () => {
  const command = `echo x > ${place.outside}/file; echo begun; sleep 60`;
  const started = await bash.call({ command, run_in_background: true }, call);
  const { backgroundTaskId: id } = started.structured as { backgroundTaskId: string };
  const found = await findShell(call.shellsFolder!, id);
  const output = path.join(found!.folder, 'output');
  await until(async () => (await readFile(output, 'utf8')).includes('begun'));

  const before = await stateOf(found!);
  await endShell(found!.command, 'killed');

  expect(await readFile(output, 'utf8')).toContain('Read-only file system');
  expect(before.status).toBe('running');
  expect((await stateOf(found!)).status).toBe('killed');
  expect(processesOf(found!.folder)).toEqual([]);
  expect(await readFile(path.join(place.outside, 'file'), 'utf8')).toBe('as it was');
});

sandboxTest(
  'a name stays closed while any command stands on it, and is given back after the last',
  async () => {
    const command =
      'touch begun; while [ ! -e go ]; do sleep 0.05; done; echo x > .mcp.json; sleep 60';
    const first = await bash.call({ command, run_in_background: true }, call);
    await until(() => existsSync(inWorkspace('begun')));

    await place.run('true');
    await mkdir(inWorkspace('go'));
    const { backgroundTaskId: id } = first.structured as { backgroundTaskId: string };
    const shell = await findShell(call.shellsFolder!, id);
    await until(async () =>
      (await readFile(path.join(shell!.folder, 'output'), 'utf8')).includes('Is a directory'),
    );
    await endShell(shell!.command, 'killed');
    await place.run('true');

    expect((await readdir(place.workspace)).sort()).toEqual(['begun', 'go']);
  },
);

sandboxTest('the network of a command outlives the Worker as well', async () => {
  const sandbox = await place.state({ network: { allowedDomains: ['localhost'] } });
  call = { ...call, sandbox };
  const command =
    'touch begun; while [ ! -e go ]; do sleep 0.05; done; (exec 3<>/dev/tcp/127.0.0.1/3128; printf "CONNECT host.invalid:443 HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3)';
  await loseWorker(command, inWorkspace('begun'));
  await mkdir(inWorkspace('go'));

  const result = await bash.call({ command }, { ...call, attempt: 2 });

  expect(LAUNCHER).toContain(process.execPath);
  expect(result.content).toContain('HTTP/1.1 403');
});
