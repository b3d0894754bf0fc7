import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { callModel } from '../../../src/activities/call-model/call-model';
import { runTool } from '../../../src/activities/run-tool/run-tool';
import { defineTool } from '../../../src/tools/tool';
import { ask, input, toReply } from '../call-model/asked';
import { given } from '../given';
import { bash, call, called, recorded, resultOf, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const inWorkspace = (name: string): string => path.join(at.workspace, name);
const edit = call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
const read = call('Read', { file_path: 'a.txt' });

const saying = (content: string) =>
  defineTool({
    name: 'Say',
    description: '',
    inputSchema: z.strictObject({}),
    summarize: () => '',
    call: async () => ({ content, structured: null }),
  });

test('a result is in the ledger and told to observers, after the start was', async () => {
  at = await called([bash('echo hi')]);
  const worker = at.worker();

  const outcome = await run(at, worker);

  expect(outcome).toEqual({ type: 'done', isError: false });
  expect(await textOf(at, worker)).toBe('hi');
  const { record } = (await recorded(at, worker))!;
  const queryId = at.attempt().workflowId;
  expect((await worker.log()).slice(-2)).toEqual([
    {
      type: 'tool_started',
      queryId,
      toolUseId: at.calls[0]!.id,
      name: 'Bash',
      summary: 'echo hi',
    },
    { type: 'record', queryId, record },
  ]);
});

test('a command that moves the shell says where it stands now', async () => {
  at = await called([bash('mkdir sub && cd sub')]);

  const outcome = await run(at, at.worker(), { mode: 'bypassPermissions' });

  expect(outcome).toMatchObject({ workingDirectory: inWorkspace('sub') });
});

test('an output that is too long is kept in a file, and the model gets its beginning', async () => {
  const whole = Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n');
  const deps = { tools: [saying(whole)] };
  at = await called([call('Say', {})], { worker: deps });
  const worker = at.worker(deps);

  await run(at, worker, { mode: 'bypassPermissions' });

  const text = await textOf(at, worker);
  const [, file = ''] = /All of it is in: (.+)/.exec(text) ?? [];
  expect(text.startsWith('<persisted-output>')).toBe(true);
  expect(text).toContain(`The output has ${whole.length} characters`);
  expect(text).toContain(whole.slice(0, 2_000));
  expect(text.length).toBeLessThan(2_600);
  expect(await readFile(file, 'utf8')).toBe(whole);
});

test('what Read shows is never put into a file', async () => {
  at = await called([read]);
  const long = `${'x'.repeat(1_000)}\n`.repeat(100);
  await writeFile(inWorkspace('a.txt'), long);
  const worker = at.worker();

  await run(at, worker);

  expect((await textOf(at, worker)).length).toBeGreaterThan(100_000);
});

test('no output is said to be none', async () => {
  const deps = { tools: [saying(' \n')] };
  at = await called([call('Say', {})], { worker: deps });
  const worker = at.worker(deps);

  await run(at, worker, { mode: 'bypassPermissions' });

  expect(await resultOf(at, worker)).toMatchObject({ content: '(no output)' });
});

test('a failing command is an error that the model reads', async () => {
  at = await called([bash('echo no; exit 3')]);
  const worker = at.worker();

  const outcome = await run(at, worker, { mode: 'bypassPermissions' });

  expect(outcome).toEqual({ type: 'done', isError: true });
  expect(await resultOf(at, worker)).toMatchObject({ content: 'Exit code 3\nno', is_error: true });
});

test('a file that Read has shown may be edited in the same reply', async () => {
  at = await called([read, edit]);
  await writeFile(inWorkspace('a.txt'), 'one');
  const worker = at.worker();

  await run(at, worker, { index: 0 });
  const outcome = await run(at, at.worker(), { index: 1, mode: 'acceptEdits' });

  expect(outcome).toEqual({ type: 'done', isError: false });
  expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('two');
});

test('a file that Read has shown may be edited in the next turn, by another Worker', async () => {
  const base = await given({ script: [{ content: [read] }, { content: [edit] }] });
  const worker = base.worker();
  const said = await worker.say('Do it');
  const first = toReply(await ask(worker, said));
  at = { ...base, said, leaf: first.leaf, calls: first.toolUses, attempt: () => said.attempt('t') };
  await writeFile(inWorkspace('a.txt'), 'one');
  await run(at, worker);
  const pending = [{ type: 'tool_result', toolUse: first.toolUses[0]! }] as const;

  const successor = at.worker();
  const second = toReply(
    await callModel(successor.deps, said.attempt('2'), input(first.leaf, pending)),
  );
  const outcome = await runTool(successor.deps, said.attempt('3'), {
    call: second.toolUses[0]!,
    mode: 'acceptEdits',
    workingDirectory: at.workspace,
  });

  expect(outcome).toEqual({ type: 'done', isError: false });
});

test('a file that changed since it was read may not be edited', async () => {
  at = await called([read, edit]);
  await writeFile(inWorkspace('a.txt'), 'one');
  const worker = at.worker();
  await run(at, worker, { index: 0 });

  await writeFile(inWorkspace('a.txt'), 'one more');
  await run(at, worker, { index: 1, mode: 'acceptEdits' });

  expect(await textOf(at, worker, 1)).toContain('<tool_use_error>');
  expect(await readFile(inWorkspace('a.txt'), 'utf8')).toBe('one more');
});
