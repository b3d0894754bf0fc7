import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { grepTool } from '../../src/tools/grep';
import { createWorkspace, textOf } from './tool-call';
import type { Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await mkdir(path.join(workspace.folder, 'sub'));
  await put('a.ts', 'const alpha = 1;\n// beta\nconst gamma = alpha;\n');
  await put('sub/b.js', 'Alpha\n');
});
afterEach(() => workspace.remove());

const put = (name: string, content: string) =>
  writeFile(path.join(workspace.folder, name), content);

/** The lines below the heading. */
async function grep(input: object, changes = {}): Promise<string[]> {
  const text = textOf(await workspace.call(grepTool, input, changes));
  return text.split('\n').slice(1);
}

test('file names are the default, lines and counts on demand', async () => {
  const lines = await grep({ pattern: 'alpha', output_mode: 'content' });

  expect(await grep({ pattern: 'alpha' })).toEqual(['a.ts']);
  expect(lines).toEqual(['a.ts:1:const alpha = 1;', 'a.ts:3:const gamma = alpha;']);
  expect(await grep({ pattern: 'alpha', output_mode: 'count' })).toEqual(['a.ts:2']);
});

test('case, file type, name pattern, context and line numbers can be chosen', async () => {
  const content = { output_mode: 'content', '-n': false };

  expect((await grep({ pattern: 'alpha', '-i': true })).sort()).toEqual(['a.ts', 'sub/b.js']);
  expect(await grep({ pattern: 'alpha', '-i': true, type: 'js' })).toEqual(['sub/b.js']);
  expect(await grep({ pattern: 'alpha', '-i': true, glob: '*.ts' })).toEqual(['a.ts']);
  expect(await grep({ pattern: 'beta', ...content, '-B': 1 })).toEqual([
    'a.ts-const alpha = 1;',
    'a.ts:// beta',
  ]);
  expect(await grep({ pattern: 'beta.const', ...content, multiline: true })).toHaveLength(2);
  expect(await grep({ pattern: 'Alpha', path: 'sub/b.js' })).toEqual(['b.js']);
});

test('head_limit and offset page through the output', async () => {
  await put('many.txt', Array.from({ length: 600 }, (_, i) => `hit ${i}`).join('\n'));
  const input = { pattern: 'hit', output_mode: 'content' };

  const first = await grep(input);
  const next = await grep({ ...input, offset: 250, head_limit: 2 });
  const all = await grep({ ...input, head_limit: 0 });

  expect(first).toHaveLength(251);
  expect(first.at(-1)).toContain('[350 lines are left; go on with offset 250');
  expect(next.slice(0, 2)).toEqual(['many.txt:251:hit 250', 'many.txt:252:hit 251']);
  expect(all).toHaveLength(600);
});

test('a pattern that looks like an option is a pattern', async () => {
  await put('options.txt', '--pre=/bin/false\n');

  expect(await grep({ pattern: '--pre=' })).toEqual(['options.txt']);
});

test('no match is a result, a bad pattern an error that names it', async () => {
  const none = await workspace.call(grepTool, { pattern: 'nothing at all' });

  expect(none.content).toBe('No matches found.');
  await expect(workspace.call(grepTool, { pattern: '(' })).rejects.toThrow('unclosed group');
  await expect(workspace.call(grepTool, { pattern: 'x', path: '/etc' })).rejects.toThrow('outside');
  await expect(workspace.call(grepTool, { pattern: 'x', path: 'no' })).rejects.toThrow('not exist');
});

test('a call that is cancelled rejects with the reason', async () => {
  const reason = new Error('cancelled');
  const stop = new AbortController();

  const call = grep({ pattern: 'x', path: workspace.folder }, { signal: stop.signal });
  stop.abort(reason);

  await expect(call).rejects.toBe(reason);
});
