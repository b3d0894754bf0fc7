import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readTool } from '../../src/tools/read';
import { createWorkspace, textOf } from './tool-call';
import type { Workspace } from './tool-call';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

async function put(name: string, content: string | Buffer): Promise<string> {
  const file = path.join(workspace.folder, name);
  await writeFile(file, content);
  return file;
}

test('lines come with their numbers and a tab, and the file counts as seen', async () => {
  const file = await put('n.txt', 'one\ntwo\nthree\n');

  const result = await workspace.call(readTool, { file_path: file });

  expect(result.content).toBe('     1\tone\n     2\ttwo\n     3\tthree');
  expect(result.filesSeen).toEqual([
    {
      path: file,
      mtimeMs: expect.any(Number) as number,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
  ]);
});

test('offset and limit show that part only, and say how to go on', async () => {
  const rows = Array.from({ length: 30 }, (_, index) => `row${index + 1}`);
  await put('n.txt', rows.join('\n'));

  const text = textOf(await workspace.call(readTool, { file_path: 'n.txt', offset: 10, limit: 2 }));

  expect(text).toBe('    10\trow10\n    11\trow11\n\n[19 more lines; go on with offset 12]');
});

test('2,000 lines are shown at first, and long lines are cut', async () => {
  await put('long.txt', `${'x'.repeat(3000)}\n${'y\n'.repeat(2500)}`);

  const text = textOf(await workspace.call(readTool, { file_path: 'long.txt' }));

  expect(text).toContain(`${'x'.repeat(2000)}… [line cut: 3000 characters]`);
  expect(text).toContain('[501 more lines; go on with offset 2001]');
});

test('an empty file and an offset past the end are told as such', async () => {
  await put('empty.txt', '');
  await put('short.txt', 'one\n');

  const empty = await workspace.call(readTool, { file_path: 'empty.txt' });
  const past = await workspace.call(readTool, { file_path: 'short.txt', offset: 9 });

  expect(empty.content).toBe('The file exists and is empty.');
  expect(past.content).toBe('The file has 1 lines; line 9 is past its end.');
});

test('CRLF and a byte order mark are not shown', async () => {
  await put('dos.txt', '\ufeffone\r\ntwo\r\n');

  const result = await workspace.call(readTool, { file_path: 'dos.txt' });

  expect(result.content).toBe('     1\tone\n     2\ttwo');
});

test('an image comes as an image block, whatever its name', async () => {
  await put('dot.jpg', PIXEL);

  const result = await workspace.call(readTool, { file_path: 'dot.jpg' });

  expect(result.content).toEqual([
    {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PIXEL.toString('base64') },
    },
  ]);
});

test('an image over the limit of the API is refused', async () => {
  await put('big.png', Buffer.concat([PIXEL, Buffer.alloc(4 * 1024 * 1024)]));

  await expect(workspace.call(readTool, { file_path: 'big.png' })).rejects.toThrow(
    'at most 5242880',
  );
});

test('a missing file is named, with a similar one if there is any', async () => {
  await put('Config.ts', '');

  const missing = workspace.call(readTool, { file_path: 'confg.ts' });

  await expect(missing).rejects.toThrow(
    `${workspace.folder}/confg.ts does not exist. Did you mean ${workspace.folder}/Config.ts?`,
  );
  await expect(workspace.call(readTool, { file_path: 'zzzzzzzz' })).rejects.toThrow(
    /zzzzzzzz does not exist\.$/,
  );
});

test('folders, binary files, pipes and files over 256 KB are refused with a way on', async () => {
  await mkdir(path.join(workspace.folder, 'sub'));
  await put('a.bin', Buffer.from([1, 0, 2]));
  await put('huge.txt', 'line\n'.repeat(60_000));
  execFileSync('mkfifo', [path.join(workspace.folder, 'pipe')]);

  const read = (input: object) => workspace.call(readTool, input);

  await expect(read({ file_path: 'sub' })).rejects.toThrow('is a folder');
  await expect(read({ file_path: 'a.bin' })).rejects.toThrow('is a binary file');
  await expect(read({ file_path: 'pipe' })).rejects.toThrow('a device, pipe or socket');
  await expect(read({ file_path: 'huge.txt' })).rejects.toThrow('with offset and limit');
  expect(textOf(await read({ file_path: 'huge.txt', limit: 1 }))).toContain('1\tline');
});

test('a link out of the workspace shows nothing', async () => {
  await symlink('/etc/passwd', path.join(workspace.folder, 'link'));

  await expect(workspace.call(readTool, { file_path: 'link' })).rejects.toThrow('/etc/passwd');
});

test('an unknown parameter is an error', () => {
  expect(readTool.inputSchema.safeParse({ file_path: 'a', bogus: true }).success).toBe(false);
});
