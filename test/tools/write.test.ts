import { chmod, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OutcomeUnknown } from '../../src/tools/outcome-unknown';
import { readTool } from '../../src/tools/read';
import { writeTool } from '../../src/tools/write';
import { createWorkspace, Refused } from './tool-call';
import type { Workspace } from './tool-call';

let workspace: Workspace;
let file: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  file = path.join(workspace.folder, 'a.txt');
});
afterEach(() => workspace.remove());

test('a new file is written with its folders, byte for byte', async () => {
  const content = '\ufeffé\r\nlast line without end';

  await workspace.call(writeTool, { file_path: 'deep/er/new.txt', content });

  expect(await readFile(path.join(workspace.folder, 'deep/er/new.txt'), 'utf8')).toBe(content);
});

test('a file that was never read is not replaced', async () => {
  await writeFile(file, 'alpha\n');

  const call = workspace.call(writeTool, { file_path: file, content: 'omega\n' });

  await expect(call).rejects.toThrow(Refused);
  await expect(call).rejects.toThrow('has not been read');
  expect(await readFile(file, 'utf8')).toBe('alpha\n');
});

test('a file that was read is replaced, keeps its mode and counts as seen afterwards', async () => {
  await writeFile(file, 'alpha\n');
  await chmod(file, 0o754);
  await workspace.call(readTool, { file_path: file });

  await workspace.call(writeTool, { file_path: file, content: 'omega\n' });
  await workspace.call(writeTool, { file_path: file, content: 'omega 2\n' });

  expect(await readFile(file, 'utf8')).toBe('omega 2\n');
  expect((await stat(file)).mode & 0o777).toBe(0o754);
  expect(await readdir(workspace.folder)).toEqual(['a.txt']);
});

test('a file that changed since it was read is not replaced, even within one tick of the clock', async () => {
  await writeFile(file, 'alpha\n');
  await workspace.call(readTool, { file_path: file });
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'other\n');
  await utimes(file, atime, mtime);

  const call = workspace.call(writeTool, { file_path: file, content: 'omega\n' });

  await expect(call).rejects.toThrow('has changed since it was read');
});

test('a file that was only touched since it was read is replaced', async () => {
  await writeFile(file, 'alpha\n');
  await workspace.call(readTool, { file_path: file });
  await utimes(file, 1, 1);

  await workspace.call(writeTool, { file_path: file, content: 'omega\n' });

  expect(await readFile(file, 'utf8')).toBe('omega\n');
});

test('nothing is written through a link out of the workspace', async () => {
  const outside = path.join(workspace.folder, '..', 'outside.txt');
  await writeFile(outside, 'secret\n');
  await symlink(outside, file);

  const call = workspace.call(writeTool, { file_path: file, content: 'omega\n' });

  await expect(call).rejects.toThrow('outside the folders of this session');
  expect(await readFile(outside, 'utf8')).toBe('secret\n');
});

test('a link that takes the place of a checked file is replaced, not followed', async () => {
  const outside = path.join(workspace.folder, '..', 'outside.txt');
  const call = workspace.context();
  const input = { file_path: file, content: 'omega\n' };
  expect(await writeTool.validateInput(input, call)).toBeNull();
  await writeFile(outside, 'secret\n');
  await symlink(outside, file);

  await writeTool.call(input, call).catch(() => undefined);

  expect(await readFile(outside, 'utf8')).toBe('secret\n');
});

test('a second attempt after a finished first one reports success and changes nothing', async () => {
  const input = { file_path: file, content: 'omega\n' };
  const call = workspace.context();
  await writeTool.call(input, call);
  const before = await stat(file);

  const again = { ...call, attempt: 2 };
  const refusal = await writeTool.validateInput(input, again);
  const result = await writeTool.call(input, again);

  expect(refusal).toBeNull();
  expect(result.content).toBe(`Wrote ${file}.`);
  expect(result.filesSeen).toHaveLength(1);
  expect((await stat(file)).ino).toBe(before.ino);
});

test('a second attempt whose file somebody else has changed since says that the outcome is unknown', async () => {
  const input = { file_path: file, content: 'omega\n' };
  const call = workspace.context();
  await writeTool.call(input, call);
  await writeFile(file, 'third\n');

  const result = writeTool.call(input, { ...call, attempt: 2 });

  await expect(result).rejects.toThrow(OutcomeUnknown);
  expect(await readFile(file, 'utf8')).toBe('third\n');
});

test('a call that was cancelled before it wrote writes nothing', async () => {
  const reason = new Error('cancelled');
  const input = { file_path: file, content: 'omega\n' };

  const call = workspace.call(writeTool, input, { signal: AbortSignal.abort(reason) });

  await expect(call).rejects.toBe(reason);
  expect(await readdir(workspace.folder)).toEqual([]);
});
