import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { planFiles } from '../../src/checkpoints/plan-rewind';
import { rewindFiles } from '../../src/checkpoints/rewind-files';
import type { RewindPoint } from '../../src/checkpoints/rewind-point';
import { editTool } from '../../src/tools/edit';
import { notebookEditTool } from '../../src/tools/notebook-edit';
import { readTool } from '../../src/tools/read';
import { writeTool } from '../../src/tools/write';
import { KeptSession } from './kept-session';

let session: KeptSession;
beforeEach(async () => {
  session = await KeptSession.open();
});
afterEach(() => session.close());

async function rewindTo(point: RewindPoint) {
  return rewindFiles(session.store, await planFiles(session.store, point));
}

const change = (name: string, from: string, to: string) =>
  session.call(editTool, {
    file_path: session.path(name),
    old_string: from,
    new_string: to,
  });
const write = (name: string, content: string) =>
  session.call(writeTool, { file_path: session.path(name), content });
const read = (name: string) => session.workspace.call(readTool, { file_path: session.path(name) });

test('files are what they were at any place, byte for byte and bit for bit, in any order', async () => {
  writeFileSync(session.path('old.sh'), '#!/bin/sh\r\necho ä\r\nno newline', { mode: 0o640 });
  session.chmod('old.sh', 0o751);
  await read('old.sh');
  const trees = [session.tree()];
  await change('old.sh', 'ä', 'ö');
  trees.push(session.tree());
  await write('new/deep/made.txt', 'made\n');
  session.chmod('new/deep/made.txt', 0o600);
  await session.look();
  trees.push(session.tree(), session.tree());
  await change('new/deep/made.txt', 'made', 'changed');
  trees.push(session.tree());
  await change('old.sh', '#!/bin/sh\r\n', '');
  trees.push(session.tree());

  for (const [index, step] of [5, 0, 3, 1, 4, 0, 5].entries()) {
    const { blocked } = await rewindTo(session.behind(step));

    expect([index, step, blocked]).toEqual([index, step, []]);
    expect(session.tree()).toEqual(trees[step]);
  }
});

test('notebooks are kept like other files', async () => {
  const notebook = '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}\n';
  writeFileSync(session.path('n.ipynb'), notebook);
  await read('n.ipynb');
  await session.call(notebookEditTool, {
    notebook_path: session.path('n.ipynb'),
    new_source: 'x',
    cell_type: 'code',
    edit_mode: 'insert',
  });

  await rewindTo(session.behind(0));

  expect(readFileSync(session.path('n.ipynb'), 'utf8')).toBe(notebook);
});

test('a plan changes nothing and counts lines', async () => {
  writeFileSync(session.path('a.txt'), 'one\ntwo\n');
  await read('a.txt');
  await change('a.txt', 'two', '2\n3');
  await write('b.txt', 'b\n');
  const before = session.tree();

  const { files } = await planFiles(session.store, session.behind(0));

  expect(files).toMatchObject([
    { path: session.path('a.txt'), action: 'restore', insertions: 1, deletions: 2 },
    { path: session.path('b.txt'), action: 'remove', insertions: 0, deletions: 1 },
  ]);
  expect(session.tree()).toEqual(before);
});

test('a file that has gone since is made again', async () => {
  await write('a.txt', 'one');
  await change('a.txt', 'one', 'two');
  unlinkSync(session.path('a.txt'));

  const { files } = await rewindTo(session.behind(1));

  expect(files).toMatchObject([{ action: 'create' }]);
  expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('one');
});

test('what a rewind replaces is kept as well: nothing that somebody wrote by hand is lost', async () => {
  await write('a.txt', 'one');
  writeFileSync(session.path('a.txt'), 'by hand');
  await session.look();
  writeFileSync(session.path('a.txt'), 'by hand again');

  await rewindTo(session.behind(1));
  await session.look();
  await rewindTo(session.behind(2));

  expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('by hand');
});

test('a folder that was made for a file stays when something else lies in it', async () => {
  await write('made/deep/a.txt', 'one');
  writeFileSync(session.path('made/other.txt'), 'other');

  await rewindTo(session.behind(0));

  expect(existsSync(session.path('made/deep'))).toBe(false);
  expect(readFileSync(session.path('made/other.txt'), 'utf8')).toBe('other');
});

test('the first attempt of a call says what the file was', async () => {
  writeFileSync(session.path('a.txt'), 'one');
  await read('a.txt');
  await session.call(editTool, edit('one', 'two'), 'the record');
  await session.call(editTool, edit('two', 'three'), 'the record');

  await rewindTo(session.behind(0));

  expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('one');
  function edit(from: string, to: string) {
    return { file_path: session.path('a.txt'), old_string: from, new_string: to };
  }
});

test('a rewind that was interrupted does the rest when it is repeated', async () => {
  await write('a.txt', 'a');
  await write('b.txt', 'b');
  const plan = await planFiles(session.store, session.behind(0));
  await rewindFiles(session.store, { ...plan, files: plan.files.slice(0, 1) });

  const { files } = await rewindTo(session.behind(0));

  expect(files.map(({ path }) => path)).toEqual([session.path('b.txt')]);
  expect(session.tree()).toEqual({});
});

describe('nothing outside of the folders of the session is touched', () => {
  test('a file that is a link now is left alone', async () => {
    const outside = `${session.workspace.folder}-outside`;
    mkdirSync(outside);
    writeFileSync(`${outside}/a.txt`, 'outside');
    await write('a.txt', 'one');
    unlinkSync(session.path('a.txt'));
    symlinkSync(`${outside}/a.txt`, session.path('a.txt'));

    const { files, blocked } = await rewindTo(session.behind(0));

    expect(files).toEqual([]);
    expect(blocked).toMatchObject([{ path: session.path('a.txt'), isLink: true }]);
    expect(readFileSync(`${outside}/a.txt`, 'utf8')).toBe('outside');
  });

  test('a folder that is a link now is not followed', async () => {
    const outside = `${session.workspace.folder}-outside`;
    await write('sub/a.txt', 'one');
    renameSync(session.path('sub'), outside);
    symlinkSync(outside, session.path('sub'));

    const { blocked } = await rewindTo(session.behind(0));

    expect(blocked).toMatchObject([{ path: session.path('sub/a.txt'), isLink: true }]);
    expect(readFileSync(`${outside}/a.txt`, 'utf8')).toBe('one');
  });

  test('another name of the same file keeps what it has', async () => {
    await write('a.txt', 'one');
    await change('a.txt', 'one', 'two');
    const outside = `${session.workspace.folder}-other-name`;
    linkSync(session.path('a.txt'), outside);

    await rewindTo(session.behind(1));

    expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('one');
    expect(readFileSync(outside, 'utf8')).toBe('two');
  });

  test('a file that was changed with a permission of its own stays as it is', async () => {
    const outside = `${session.workspace.folder}-outside.txt`;
    const { folder } = session.workspace;
    await session.call(
      {
        ...writeTool,
        call: (input, context) => writeTool.call(input, { ...context, roots: [folder, outside] }),
      },
      { file_path: outside, content: 'permitted' },
    );

    const { blocked } = await rewindTo(session.behind(0));

    expect(blocked).toMatchObject([{ path: outside, isLink: false }]);
    expect(readFileSync(outside, 'utf8')).toBe('permitted');
  });

  test('a folder in the place of a file is left alone', async () => {
    await write('a', 'one');
    rmSync(session.path('a'));
    mkdirSync(session.path('a'));

    const { blocked } = await rewindTo(session.behind(0));

    expect(blocked).toMatchObject([{ path: session.path('a') }]);
  });
});

test('content that is damaged in the store is never given back', async () => {
  await write('a.txt', 'one');
  await change('a.txt', 'one', 'two');
  const [first] = await session.store.ledger.events();
  if (first?.type !== 'change') throw new Error('The first event is the change.');
  const digest = first.change.after?.digest ?? '';
  const names = readdirSync(session.place.home, { recursive: true, encoding: 'utf8' });
  const kept = names.find((name) => name.endsWith(`kept/${digest}`)) ?? '';
  writeFileSync(join(session.place.home, kept), 'garbled');

  const { blocked } = await rewindTo(session.behind(1));

  expect(blocked).toMatchObject([
    { reason: expect.stringContaining('not kept any more') as string },
  ]);
  expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('two');
});
