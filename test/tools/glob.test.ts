import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { globTool } from '../../src/tools/glob';
import { createWorkspace, textOf } from './tool-call';
import type { Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

async function put(...names: string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const file = path.join(workspace.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '');
    await utimes(file, 1_000 + index, 1_000 + index);
  }
}

async function find(input: object): Promise<string[]> {
  const text = textOf(await workspace.call(globTool, input));
  return text.split('\n').map((line) => path.relative(workspace.folder, line));
}

test('files come newest first', async () => {
  await put('old.ts', 'sub/middle.ts', 'new.ts', 'other.js');

  expect(await find({ pattern: '**/*.ts' })).toEqual(['new.ts', 'sub/middle.ts', 'old.ts']);
});

test('* stays within its folder, and a pattern may begin with one', async () => {
  await put('top.ts', 'sub/a.ts', 'sub/deep/b.ts');

  expect(await find({ pattern: '*.ts' })).toEqual(['top.ts']);
  expect(await find({ pattern: 'sub/*.ts' })).toEqual(['sub/a.ts']);
  expect(await find({ pattern: `${workspace.folder}/sub/**/*.ts` })).toHaveLength(2);
  expect(await find({ pattern: '*.ts', path: 'sub' })).toEqual(['sub/a.ts']);
  expect(await find({ pattern: 'sub/a.ts' })).toEqual(['sub/a.ts']);
});

test('what .gitignore names is left out, hidden files are not', async () => {
  await put('kept.ts', '.hidden/x.ts', 'dist/built.ts', '.git/y.ts');
  await writeFile(path.join(workspace.folder, '.gitignore'), 'dist\n');

  expect((await find({ pattern: '**/*.ts' })).sort()).toEqual(['.hidden/x.ts', 'kept.ts']);
});

test('one hundred files are shown, and how many there are', async () => {
  await put(...Array.from({ length: 120 }, (_, index) => `f${index}.txt`));

  const text = textOf(await workspace.call(globTool, { pattern: '*.txt' }));

  expect(text.split('\n')).toHaveLength(101);
  expect(text).toContain('[100 of 120 files are shown.');
});

test('no match is a result, not an error', async () => {
  const none = await workspace.call(globTool, { pattern: 'none/**/*.ts' });

  expect(none.content).toBe('No files found.');
});

test.each(['../**/*', '/etc/*', 'link/*'])('%s is refused', async (pattern) => {
  await symlink('/etc', path.join(workspace.folder, 'link'));

  await expect(workspace.call(globTool, { pattern })).rejects.toThrow('outside the folders');
});
