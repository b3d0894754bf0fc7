import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { notebookEditTool } from '../../src/tools/notebook-edit';
import { readTool } from '../../src/tools/read';
import { createWorkspace, textOf, type Workspace } from './tool-call';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let workspace: Workspace;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(() => workspace.remove());

const file = (): string => path.join(workspace.folder, 'n.ipynb');

const code = (id: string, source: string | string[], outputs: readonly object[] = []) => ({
  cell_type: 'code',
  execution_count: 3,
  id,
  metadata: { tags: ['kept'] },
  outputs,
  source,
});
const note = (id: string, source: string) => ({ cell_type: 'markdown', id, metadata: {}, source });

async function put(cells: readonly object[], more: object = {}): Promise<void> {
  const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5, ...more };
  await writeFile(file(), `${JSON.stringify(notebook, null, 1)}\n`);
}

interface Stored {
  readonly cells: readonly Record<string, unknown>[];
}
const stored = async () => JSON.parse(await readFile(file(), 'utf8')) as Stored;
const read = () => workspace.call(readTool, { file_path: 'n.ipynb' });
const edit = (input: object) =>
  workspace.call(notebookEditTool, { notebook_path: 'n.ipynb', ...input });

test('cells are shown with their names, their sources and what they put out', async () => {
  await put([
    note('intro', '# Title'),
    code('a1', ['x = 1\n', 'print(x)'], [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }]),
    code('a2', '1/0', [
      { output_type: 'error', ename: 'E', evalue: 'no', traceback: ['\u001b[31mE: no\u001b[0m'] },
    ]),
  ]);

  const { content } = await read();

  expect(content).toEqual([
    {
      type: 'text',
      text: [
        '<cell id="intro" type="markdown">\n# Title\n</cell>',
        '<cell id="a1" run="3">\nx = 1\nprint(x)\n</cell>',
        '<output>\n1\n\n</output>',
        '<cell id="a2" run="3">\n1/0\n</cell>',
        '<output>\nE: no\n</output>',
      ].join('\n'),
    },
  ]);
});

test('pictures that a cell put out are shown as pictures', async () => {
  const data = { 'image/png': PIXEL, 'text/plain': '<Figure>' };
  await put([code('a1', 'plot()', [{ output_type: 'display_data', data, metadata: {} }])]);

  const { content } = await read();

  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', source: { data: PIXEL } }]);
});

test('long output is cut, and the model is told how to see the rest', async () => {
  const text = 'y'.repeat(30_000);
  await put([code('a1', 'go()', [{ output_type: 'stream', name: 'stdout', text }])]);

  const shown = JSON.stringify((await read()).content);

  expect(shown).toContain(`[20000 more characters: jq '.cells[0].outputs'`);
  expect(shown.length).toBeLessThan(11_000);
});

test('a cell gets a new source; its outputs go, and all else stays', async () => {
  await put([note('intro', '# Title'), code('a1', 'x', [{ output_type: 'stream', text: '1' }])]);
  await read();

  await edit({ cell_id: 'a1', new_source: 'x = 2\ny = 3' });

  const { cells } = await stored();
  expect(cells[0]).toEqual(note('intro', '# Title'));
  expect(cells[1]).toEqual({
    ...code('a1', ['x = 2\n', 'y = 3']),
    execution_count: null,
    outputs: [],
  });
  expect(await readFile(file(), 'utf8')).toMatch(/^\{\n "cells": \[\n[^]*\}\n$/);
});

test('a code cell that becomes text has no outputs field any more', async () => {
  await put([code('a1', 'x')]);
  await read();

  await edit({ cell_id: 'a1', new_source: 'words', cell_type: 'markdown' });

  const { cells } = await stored();
  expect(cells[0]).toEqual({
    cell_type: 'markdown',
    id: 'a1',
    metadata: { tags: ['kept'] },
    source: ['words'],
  });
});

test('a new cell goes behind the one that is named, or to the top', async () => {
  await put([code('a1', 'x'), code('a2', 'y')]);
  await read();

  await edit({ edit_mode: 'insert', cell_id: 'a1', cell_type: 'code', new_source: 'between' });
  await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'top' });

  const { cells } = await stored();
  expect(cells.map(({ source }) => source)).toEqual([['top'], 'x', ['between'], 'y']);
  expect(cells.every(({ id }) => typeof id === 'string')).toBe(true);
});

test('a format without ids names cells by their place, and gets none', async () => {
  await put([{ ...note('', 'one'), id: undefined }], { nbformat_minor: 4 });
  await read();

  await edit({ edit_mode: 'insert', cell_id: 'cell-0', cell_type: 'markdown', new_source: 'two' });

  const { cells } = await stored();
  expect(cells.map(({ source, id }) => [source, id])).toEqual([
    ['one', undefined],
    [['two'], undefined],
  ]);
});

test('a cell is deleted', async () => {
  await put([code('a1', 'x'), code('a2', 'y')]);
  await read();

  const result = await edit({ edit_mode: 'delete', cell_id: 'a1', new_source: '' });

  expect(textOf(result)).toContain('Deleted cell a1');
  expect((await stored()).cells.map(({ id }) => id)).toEqual(['a2']);
});

test.each([
  ['a cell that is not there', { cell_id: 'zz', new_source: '' }, /no cell "zz".*a1/],
  ['no cell at all', { new_source: '' }, /cell_id is missing/],
  ['a new cell of no type', { edit_mode: 'insert', new_source: '' }, /cell_type is missing/],
])('%s: refused with the cure', async (_what, input, why) => {
  await put([code('a1', 'x')]);
  await read();

  await expect(edit(input)).rejects.toThrow(why);
});

test('a notebook that was not read, or has changed since, is not edited', async () => {
  await put([code('a1', 'x')]);
  const input = { cell_id: 'a1', new_source: 'y' };

  await expect(edit(input)).rejects.toThrow(/has not been read/);
  await read();
  await put([code('a1', 'changed')]);
  await expect(edit(input)).rejects.toThrow(/has changed since/);
});

test('an attempt after one that made the change makes it no second time', async () => {
  await put([code('a1', 'x')]);
  await read();
  const input = {
    notebook_path: 'n.ipynb',
    edit_mode: 'insert',
    cell_type: 'code',
    new_source: 'y',
  };
  const context = workspace.context();
  const parsed = notebookEditTool.inputSchema.parse(input);
  await notebookEditTool.call(parsed, context);

  await notebookEditTool.call(parsed, { ...context, attempt: 2 });

  expect((await stored()).cells).toHaveLength(2);
});

test.each([
  ['no JSON', '{'],
  ['no notebook', '{"cells": 1}'],
  ['an old format', '{"cells": [], "nbformat": 3, "nbformat_minor": 0}'],
])('%s is told as such', async (_what, content) => {
  await writeFile(file(), content);

  await expect(read()).rejects.toThrow(/is no notebook that can be used here/);
});
