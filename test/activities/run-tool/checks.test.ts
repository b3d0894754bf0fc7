import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bash, call, called, recorded, resultOf, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const inWorkspace = (name: string): string => path.join(at.workspace, name);

test.each<[string, string, unknown, readonly string[]]>([
  [
    'a tool that is not there',
    'Fly',
    {},
    ['<tool_use_error>Error: No such tool available: Fly</tool_use_error>'],
  ],
  [
    'a parameter that is missing',
    'Read',
    {},
    [
      '<tool_use_error>InputValidationError: Read failed due to the following issue:',
      'The required parameter `file_path` is missing</tool_use_error>',
    ],
  ],
  [
    'unexpected, missing and wrong ones, in this order',
    'Edit',
    { file_path: 7, old_string: 'a', replace: true },
    [
      '<tool_use_error>InputValidationError: Edit failed due to the following issues:',
      'An unexpected parameter `replace` was provided',
      'The required parameter `new_string` is missing',
      'The parameter `file_path` type is expected as `string` but provided as `number`</tool_use_error>',
    ],
  ],
  [
    'a number that is too large',
    'Bash',
    { command: 'ls', timeout: 700_000 },
    [
      '<tool_use_error>InputValidationError: Bash failed due to the following issue:',
      'The parameter `timeout`: Too big: expected number to be <=600000</tool_use_error>',
    ],
  ],
])('the model is told of %s', async (_what, name, input, lines) => {
  at = await called([call(name, input)]);
  const worker = at.worker();

  const outcome = await run(at, worker);

  expect(outcome).toEqual({ type: 'done', isError: true });
  expect(await resultOf(at, worker)).toEqual({
    type: 'tool_result',
    tool_use_id: at.calls[0]!.id,
    content: lines.join('\n'),
    is_error: true,
  });
});

test('a tool that the message does not offer is not there', async () => {
  at = await called([bash('ls')], { tools: ['Read'] });
  const worker = at.worker();

  await run(at, worker);

  expect(await textOf(at, worker)).toContain('No such tool available: Bash');
});

test('a tool may refuse a well-formed input before anybody is asked', async () => {
  at = await called([call('Edit', { file_path: 'a.txt', old_string: 'a', new_string: 'b' })]);
  await writeFile(inWorkspace('a.txt'), 'a');
  const worker = at.worker();

  const outcome = await run(at, worker, { mode: 'acceptEdits' });

  expect(outcome).toEqual({ type: 'done', isError: true });
  expect(await textOf(at, worker)).toMatch(/^<tool_use_error>.*has not been read/);
});

test('what needs a permission that nobody gives is denied, recorded as denied, and does not happen', async () => {
  at = await called([bash('touch made')]);
  const worker = at.worker();

  const outcome = await run(at, worker);

  expect(outcome).toEqual({ type: 'done', isError: true, denied: true });
  expect(await recorded(at, worker)).toMatchObject({ denied: true, isError: true });
  expect(await textOf(at, worker)).toContain('Bash needs a permission');
  expect(existsSync(inWorkspace('made'))).toBe(false);
  expect((await worker.log()).filter(({ type }) => type === 'tool_started')).toEqual([]);
});

test('a rule of the message allows a command', async () => {
  at = await called([bash('touch made')], { allowedTools: ['Bash(touch:*)'] });

  const outcome = await run(at, at.worker());

  expect(outcome).toEqual({ type: 'done', isError: false });
  expect(existsSync(inWorkspace('made'))).toBe(true);
});

test('a rule of the settings files denies what the mode allows', async () => {
  at = await called([bash('touch made')]);
  await mkdir(inWorkspace('.claude'));
  const settings = JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } });
  await writeFile(inWorkspace('.claude/settings.json'), settings);
  const worker = at.worker();

  const outcome = await run(at, worker, { mode: 'bypassPermissions' });

  expect(outcome).toMatchObject({ denied: true });
  expect(await textOf(at, worker)).toContain('denied by the rule Bash(touch:*)');
});

test('a call whose reply was never committed fails without a result', async () => {
  at = await called([bash('ls')]);
  const [toolUse] = at.calls;
  const gone = { ...at, calls: [{ ...toolUse!, recordId: 'never-committed' }] };

  const outcome = await run(gone, at.worker());

  expect(outcome).toMatchObject({ type: 'failed' });
});
