import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { editTool } from '../../src/tools/edit';
import { readTool } from '../../src/tools/read';
import { ToolError, type Tool } from '../../src/tools/tool';
import { calls, lastMessage, plainModel, runToEnd, says, tool, use } from './builders';

const COMPLETED = { reason: 'completed', detail: 'end_turn' };

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'everloop-in-process-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const result = (fields: object) => ({
  type: 'tool_result',
  tool_use_id: 'toolu_scripted_0_0',
  ...fields,
});

test('a tool round: Read shows a file to the model', async () => {
  await writeFile(path.join(folder, 'note.txt'), 'remember the milk\n');
  const model = plainModel(calls(use('Read', { file_path: 'note.txt' })), says('milk'));

  const { terminal } = await runToEnd({
    ...model,
    prompt: 'what does the note say?',
    model: 'm',
    tools: [readTool],
    workingDirectory: folder,
  });

  expect(terminal).toEqual(COMPLETED);
  expect(lastMessage(model.requests[1])).toEqual([
    result({ content: '     1\tremember the milk' }),
  ]);
});

test('a file that was read may be edited by a later call of the same reply', async () => {
  const file_path = path.join(folder, 'note.txt');
  await writeFile(file_path, 'remember the milk\n');
  const edit = use('Edit', { file_path, old_string: 'milk', new_string: 'bread' });
  const model = plainModel(calls(use('Read', { file_path }), edit), says('done'));

  await runToEnd({
    ...model,
    prompt: 'bread, not milk',
    model: 'm',
    tools: [readTool, editTool],
    workingDirectory: folder,
  });

  expect(lastMessage(model.requests[1])).not.toContainEqual(
    expect.objectContaining({ is_error: true }),
  );
});

describe('a call that fails is a result that the model reads', () => {
  const broken = tool('Broken', { call: () => Promise.reject(new ToolError('no such thing')) });
  const picky = tool('Picky', { validateInput: () => Promise.resolve('not like this') });

  test.each<[string, readonly Tool[], ReturnType<typeof use>, string]>([
    ['an unknown tool', [], use('Nope'), 'No such tool available: Nope'],
    ['an input that does not fit', [readTool], use('Read'), '`file_path` is missing'],
    ['an input that the tool refuses', [picky], use('Picky'), 'not like this'],
    ['an error of the tool', [broken], use('Broken'), 'no such thing'],
  ])('%s', async (_what, tools, call, text) => {
    const model = plainModel(calls(call), says('I see'));

    const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', tools });

    expect(terminal).toEqual(COMPLETED);
    expect(lastMessage(model.requests[1])).toEqual([
      result({ content: expect.stringContaining(text) as string, is_error: true }),
    ]);
  });

  test('a refused call counts as denied and does not run', async () => {
    const model = plainModel(calls(use('Say')), says('I see'));
    const refuse = () => Promise.resolve('not today');

    const { events } = await runToEnd({
      ...model,
      prompt: 'go',
      model: 'm',
      tools: [tool('Say')],
      refuse,
    });

    expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({
      outcome: { type: 'done', isError: true, denied: true },
    });
    expect(lastMessage(model.requests[1])).toEqual([
      result({ content: 'not today', is_error: true }),
    ]);
  });

  test('a host function that throws loses the call, not the run', async () => {
    const model = plainModel(calls(use('Say')), says('I see'));
    const refuse = () => Promise.reject(new Error('a bug of the caller'));

    const { events, terminal } = await runToEnd({
      ...model,
      prompt: 'go',
      model: 'm',
      tools: [tool('Say')],
      refuse,
    });

    expect(terminal).toEqual(COMPLETED);
    expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({
      outcome: { type: 'failed', message: 'a bug of the caller' },
    });
    expect(lastMessage(model.requests[1])).toMatchObject([{ is_error: true }]);
  });
});

test('a text over the limit of its tool is cut', async () => {
  const long = tool('Long', {
    resultLimitChars: 10,
    call: () => Promise.resolve({ content: 'x'.repeat(25), structured: null }),
  });
  const model = plainModel(calls(use('Long')), says('done'));

  await runToEnd({ ...model, prompt: 'go', model: 'm', tools: [long] });

  expect(lastMessage(model.requests[1])).toEqual([
    result({ content: 'xxxxxxxxxx\n… 15 characters left out …' }),
  ]);
});

test('a tool that says nothing about itself may change things: its calls never overlap', async () => {
  let running = 0;
  let most = 0;
  const unmarked = tool('Unmarked', {
    async call() {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return { content: 'done', structured: null };
    },
  });
  const model = plainModel(calls(use('Unmarked'), use('Unmarked')), says('done'));

  await runToEnd({ ...model, prompt: 'go', model: 'm', tools: [unmarked] });

  expect(most).toBe(1);
  expect(lastMessage(model.requests[1])).toHaveLength(2);
});
