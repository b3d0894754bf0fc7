import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { locate, requireInside } from '../../src/tools/confinement';
import { createWorkspace } from './tool-call';
import type { Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

test.each(['../other/x.txt', '/etc/passwd', 'a/../../x', './..', '/'])(
  '%s is refused, with the place it leads to and the cure',
  async (file) => {
    const place = workspace.context();

    const refusal = requireInside(file, place);

    const target = path.resolve(workspace.folder, file);
    await expect(refusal).rejects.toThrow(`it leads to ${target}`);
    await expect(refusal).rejects.toThrow(`--add-dir ${path.dirname(target)}`);
  },
);

test('a link out of the workspace is refused, also in the middle of a path to a new file', async () => {
  await symlink('/etc', path.join(workspace.folder, 'link'));
  const place = workspace.context();

  await expect(requireInside('link/passwd', place)).rejects.toThrow('/etc/passwd');
  await expect(requireInside('link/new/deep.txt', place)).rejects.toThrow('/etc/new/deep.txt');
});

test('a link to nowhere is refused: whoever writes through it would create a file elsewhere', async () => {
  await symlink('/tmp/everloop-nowhere', path.join(workspace.folder, 'link'));

  await expect(requireInside('link', workspace.context())).rejects.toThrow('does not exist');
});

test('a link within the workspace leads to its target', async () => {
  await writeFile(path.join(workspace.folder, 'a.txt'), 'a');
  await symlink('a.txt', path.join(workspace.folder, 'link'));

  const resolved = await requireInside('link', workspace.context());

  expect(resolved).toBe(path.join(workspace.folder, 'a.txt'));
});

test('a folder whose name only begins like a root is outside', async () => {
  const { isInside } = await locate(`${workspace.folder}-other/x`, workspace.context());

  expect(isInside).toBe(false);
});

test('an additional folder is inside, and relative paths start at the working folder', async () => {
  const other = path.join(workspace.folder, '..', 'other');
  await mkdir(other);
  await mkdir(path.join(workspace.folder, 'sub'));
  const place = {
    workingDirectory: path.join(workspace.folder, 'sub'),
    roots: [workspace.folder, path.resolve(other)],
  };

  expect(await requireInside(path.join(other, 'new.txt'), place)).toBe(
    path.resolve(other, 'new.txt'),
  );
  expect(await requireInside('x', place)).toBe(path.join(workspace.folder, 'sub', 'x'));
});

test('a NUL character in a path is refused by name', async () => {
  await expect(requireInside('a\0b', workspace.context())).rejects.toThrow('NUL');
});
