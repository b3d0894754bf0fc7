import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createBashTool } from '../../src/tools/bash';
import { bashOutputTool } from '../../src/tools/bash-output';
import { killShellTool } from '../../src/tools/kill-shell';
import { endShells, findShell, stateOf } from '../../src/tools/shell/background-shell';
import { processesIn } from '../../src/bench/processes-in';
import { until } from './shell/until';
import { createWorkspace, textOf } from './tool-call';
import type { Workspace } from './tool-call';

const bash = createBashTool({ environment: { PATH: process.env['PATH'] } });

let workspace: Workspace;
let shellsFolder: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  shellsFolder = path.join(workspace.folder, '..', 'shells');
});
afterEach(async () => {
  await endShells(shellsFolder);
  await workspace.remove();
});

async function start(command: string): Promise<string> {
  const result = await workspace.call(bash, { command, run_in_background: true });
  return (result.structured as { readonly backgroundTaskId: string }).backgroundTaskId;
}

const look = async (id: string, filter?: string, changes = {}): Promise<string> =>
  textOf(await workspace.call(bashOutputTool, { bash_id: id, filter }, changes));

const statusOf = async (id: string) => {
  const shell = await findShell(shellsFolder, id);
  return shell === undefined ? undefined : (await stateOf(shell)).status;
};

const untilIs = (id: string, status: string) => until(async () => (await statusOf(id)) === status);

/** Prints what is appended to the file `feed`. */
const FEED = 'touch feed; tail -f -n +1 feed';
const feed = (text: string) => appendFile(path.join(workspace.folder, 'feed'), text);

const printed = async (id: string, text: string): Promise<void> => {
  const output = path.join(shellsFolder, id, 'output');
  await until(async () => (await readFile(output, 'utf8')).endsWith(text));
};

test('the call returns at once, with an id and the file of the output', async () => {
  const result = await workspace.call(bash, { command: 'sleep 60', run_in_background: true });

  const [, id = '', file = ''] = /shell (\S+)\. .* (\S+)$/.exec(textOf(result)) ?? [];
  expect(file).toBe(path.join(shellsFolder, id, 'output'));
  expect(await look(id)).toBe('<status>running</status>\n<output>\n\n</output>');
});

test('each look shows what is new, whoever looks', async () => {
  const id = await start(FEED);
  await feed('one\n');
  await printed(id, 'one\n');
  const first = await look(id);
  await feed('two\n');
  await printed(id, 'two\n');

  expect(first).toContain('<output>\none\n</output>');
  expect(await look(id)).toContain('<output>\ntwo\n</output>');
  expect(await look(id)).toContain('<output>\n\n</output>');
});

test('a later attempt of the same look shows the same part', async () => {
  const { callFolder } = workspace.context();
  const id = await start(FEED);
  await feed('one\n');
  await printed(id, 'one\n');
  await look(id, undefined, { callFolder });
  await feed('two\n');
  await printed(id, 'two\n');

  expect(await look(id, undefined, { callFolder, attempt: 2 })).toContain('\none\n</output>');
  expect(await look(id)).toContain('<output>\ntwo\n</output>');
});

test('a look that a crash cut off in its note is made again', async () => {
  const id = await start('echo one; sleep 60');
  await printed(id, 'one\n');
  await appendFile(path.join(shellsFolder, id, 'looks'), '\n0123456789abcdef 0 4');

  expect(await look(id)).toContain('<output>\none\n</output>');
  expect(await look(id)).toContain('<output>\n\n</output>');
});

test('a character that is only half printed is left for the next look', async () => {
  const id = await start(
    `printf 'a\\xe2\\x82'; touch half; until [ -e go ]; do sleep 0.02; done; printf '\\xac'; sleep 60`,
  );
  await until(() => existsSync(path.join(workspace.folder, 'half')));
  const first = await look(id);
  await appendFile(path.join(workspace.folder, 'go'), '');
  await printed(id, '€');

  expect(first).toContain('<output>\na\n</output>');
  expect(await look(id)).toContain('<output>\n€\n</output>');
});

test('a filter shows the lines that match and passes over the others', async () => {
  const id = await start('printf "ok 1\\nerror 2\\nok 3\\n"; sleep 60');
  await printed(id, 'ok 3\n');

  expect(await look(id, '^err')).toContain('<output>\nerror 2\n</output>');
  expect(await look(id)).toContain('<output>\n\n</output>');
});

test('a filter that is no regular expression is named, and costs no output', async () => {
  const { callFolder } = workspace.context();
  const id = await start('echo one; sleep 60');
  await printed(id, 'one\n');

  await expect(look(id, '(', { callFolder })).rejects.toThrow(/regex parse error|unclosed/);
});

test('a long output shows its beginning and its end, and names the file', async () => {
  const id = await start('seq 1 30000');
  await untilIs(id, 'completed');

  const shown = await look(id);

  expect(shown).toMatch(/<output>\n1\n2\n3\n/);
  expect(shown).toContain(`of new output. The whole is in ${shellsFolder}/${id}/output`);
  expect(shown).toMatch(/\n30000\n<\/output>$/);
  expect(shown.length).toBeLessThan(30_000);
});

test.each([
  ['exit 0', 'completed', 0],
  ['exit 3', 'failed', 3],
  ['kill -9 $$', 'failed', 137],
])('%s: the status is %s, with the exit code', async (command, status, code) => {
  const id = await start(`echo last words; ${command}`);
  await untilIs(id, status);

  const shown = await look(id);

  expect(shown).toContain(`<status>${status}</status>\n<exit_code>${code}</exit_code>`);
  expect(shown).toContain('last words');
});

test('KillShell ends the whole tree, and may be repeated', async () => {
  const id = await start(
    `trap '' TERM; (env -i setsid bash -c 'trap "" TERM; sleep 60' &); touch ready; sleep 60; sleep 60`,
  );
  await until(() => existsSync(path.join(workspace.folder, 'ready')));

  const killed = await workspace.call(killShellTool, { shell_id: id });
  const again = await workspace.call(killShellTool, { shell_id: id });

  expect(processesIn(workspace.folder)).toEqual([]);
  expect(textOf(killed)).toContain(`shell ${id} was ended with everything`);
  expect(again).toEqual(killed);
  expect(await look(id)).toContain('<status>killed</status>\n<output>');
});

test('KillShell of a shell that has ended ends what it left behind', async () => {
  const id = await start('setsid sleep 60 & echo left');
  await untilIs(id, 'completed');

  const result = await workspace.call(killShellTool, { shell_id: id });

  expect(textOf(result)).toContain('had ended already (completed)');
  expect(processesIn(workspace.folder)).toEqual([]);
});

test('an id that does not exist is refused with those that do', async () => {
  await expect(look('bash_0')).rejects.toThrow('no background shell bash_0, and no other');
  const id = await start('sleep 60');

  await expect(look('../x')).rejects.toThrow(`There are: ${id} (running).`);
});

test('a later attempt of the start finds the shell of the first', async () => {
  const { callFolder } = workspace.context();
  const input = { command: 'echo run >> runs; touch ready; sleep 60', run_in_background: true };

  const first = await workspace.call(bash, input, { callFolder });
  const again = await workspace.call(bash, input, { callFolder, attempt: 2 });

  expect(again).toEqual(first);
  await until(() => existsSync(path.join(workspace.folder, 'ready')));
  expect(await readFile(path.join(workspace.folder, 'runs'), 'utf8')).toBe('run\n');
});

test('a call that is stopped before it starts leaves no shell', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  const input = { command: 'touch x; sleep 60', run_in_background: true };

  await expect(workspace.call(bash, input, { signal })).rejects.toThrow('stopped');

  expect(processesIn(workspace.folder)).toEqual([]);
});

test('a shell that is gone without an exit code is told as lost', async () => {
  const id = await start('sleep 60');
  const [pid] = (await readFile(path.join(shellsFolder, id, 'process.1'), 'utf8')).split(' ');
  process.kill(-Number(pid), 'SIGKILL');
  await untilIs(id, 'lost');

  expect(await look(id)).toContain('has left no exit code');
});

test('when the session ends, what runs is ended, also what shells left behind', async () => {
  const running = await start('sleep 60');
  const ended = await start('setsid sleep 60 &');
  await untilIs(ended, 'completed');

  expect(await endShells(shellsFolder)).toBe(1);

  expect(processesIn(workspace.folder)).toEqual([]);
  expect(await look(running)).toContain('ended when the session ended');
  expect(await look(ended)).toContain('<status>completed</status>');
});
