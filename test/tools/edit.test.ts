import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { editTool } from '../../src/tools/edit';
import { OutcomeUnknown } from '../../src/tools/outcome-unknown';
import { readTool } from '../../src/tools/read';
import { createWorkspace, Refused } from './tool-call';
import type { Workspace } from './tool-call';

let workspace: Workspace;
let file: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  file = path.join(workspace.folder, 'a.txt');
});
afterEach(() => workspace.remove());

async function putRead(content: string | Buffer): Promise<void> {
  await writeFile(file, content);
  await workspace.call(readTool, { file_path: file });
}

const edit = (old_string: string, new_string: string, more = {}) =>
  workspace.call(editTool, { file_path: file, old_string, new_string, ...more });

test('read, then edit: the file changes, and observers get the patch', async () => {
  await putRead('one\nalpha\nthree\n');

  const result = await edit('alpha', 'omega');

  expect(await readFile(file, 'utf8')).toBe('one\nomega\nthree\n');
  expect(result.structured).toEqual({
    filePath: file,
    structuredPatch: [
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 3,
        lines: [' one', '-alpha', '+omega', ' three'],
      },
    ],
  });
});

test('two edits in a row need one read', async () => {
  await putRead('alpha\n');

  await edit('alpha', 'beta');
  await edit('beta', 'gamma');

  expect(await readFile(file, 'utf8')).toBe('gamma\n');
});

test.each([
  ['a text that is not there', 'zzz', 'x', 'was not found'],
  ['a text that occurs twice', 'dup', 'x', 'occurs 2 times'],
  ['a replacement by itself', 'one', 'one', 'nothing would change'],
  ['an empty text in an existing file', '', 'x', 'exists'],
])('%s is refused before anything happens', async (_name, old_string, new_string, reason) => {
  const content = 'one\ndup dup\n';
  await putRead(content);

  const call = edit(old_string, new_string);

  await expect(call).rejects.toThrow(Refused);
  await expect(call).rejects.toThrow(reason);
  expect(await readFile(file, 'utf8')).toBe(content);
});

test('replace_all changes every occurrence and counts them', async () => {
  await putRead('dup dup\ndup');

  const result = await edit('dup', '$&', { replace_all: true });

  expect(result.content).toBe(`Edited ${file} in 3 places.`);
  expect(await readFile(file, 'utf8')).toBe('$& $&\n$&');
});

test('a file that was never read, or has changed since, is refused', async () => {
  await writeFile(file, 'alpha\n');
  await expect(edit('alpha', 'omega')).rejects.toThrow('has not been read');

  await putRead('alpha\n');
  await writeFile(file, 'alpha 2\n');

  await expect(edit('alpha', 'omega')).rejects.toThrow('has changed since it was read');
});

test('an empty old_string creates a file', async () => {
  await edit('', 'fresh\n');

  expect(await readFile(file, 'utf8')).toBe('fresh\n');
});

test('a missing file is refused, with a similar one', async () => {
  await writeFile(path.join(workspace.folder, 'a.md'), '');

  await expect(edit('x', 'y')).rejects.toThrow(`Did you mean ${workspace.folder}/a.md?`);
});

test('CRLF line ends and a byte order mark stay, though the model writes LF', async () => {
  await putRead('\ufeffone\r\ntwo\r\nthree\r\n');

  await edit('one\ntwo', '1\n2\n2b');

  expect(await readFile(file, 'utf8')).toBe('\ufeff1\r\n2\r\n2b\r\nthree\r\n');
});

test('a file that is not UTF-8 is refused rather than damaged', async () => {
  const latin1 = Buffer.from('caf\xe9\n', 'latin1');
  await putRead(latin1);

  await expect(edit('caf', 'tea')).rejects.toThrow('not UTF-8');
  expect(await readFile(file)).toEqual(latin1);
});

describe('a second attempt', () => {
  const input = (content: { old: string; now: string }) => ({
    file_path: file,
    old_string: content.old,
    new_string: content.now,
  });

  test('after a finished first one reports success, though old_string is gone', async () => {
    await putRead('alpha\n');
    const call = workspace.context();
    await editTool.call(input({ old: 'alpha', now: 'alpha alpha' }), call);

    const again = { ...call, attempt: 2 };
    const refusal = await editTool.validateInput(
      input({ old: 'alpha', now: 'alpha alpha' }),
      again,
    );
    const result = await editTool.call(input({ old: 'alpha', now: 'alpha alpha' }), again);

    expect(refusal).toBeNull();
    expect(result.content).toBe(`Edited ${file}.`);
    expect(await readFile(file, 'utf8')).toBe('alpha alpha\n');
  });

  test('after one that noted its intent but did not get to the change makes it, and clears up', async () => {
    await putRead('alpha\n');
    const call = workspace.context();
    await editTool.call(input({ old: 'alpha', now: 'omega' }), call);
    await writeFile(file, 'alpha\n');

    await editTool.call(input({ old: 'alpha', now: 'omega' }), { ...call, attempt: 2 });

    expect(await readFile(file, 'utf8')).toBe('omega\n');
    expect(await readdir(workspace.folder)).toEqual(['a.txt']);
  });

  test('whose file is neither as before nor as intended says that the outcome is unknown', async () => {
    await putRead('alpha\n');
    const call = workspace.context();
    await editTool.call(input({ old: 'alpha', now: 'omega' }), call);
    await writeFile(file, 'third\n');

    const result = editTool.call(input({ old: 'alpha', now: 'omega' }), { ...call, attempt: 2 });

    await expect(result).rejects.toThrow(OutcomeUnknown);
  });
});
