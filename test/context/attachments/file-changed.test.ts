import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { attachMentions } from '../../../src/context/mentions';
import { Conversation } from './conversation';

let talk: Conversation;
afterEach(() => talk.end());

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join('\n')}\n`;

test('an outside change is told once, as the lines that differ, and counts as read', async () => {
  talk = await Conversation.begin({ 'work/a.txt': TEXT });
  await talk.read('a.txt');
  expect(await talk.endTurn()).toEqual([]);
  await talk.change('a.txt', TEXT.replace('line 10', 'LINE TEN'));

  const [notice, ...others] = await talk.endTurn();

  expect(others).toEqual([]);
  expect(notice?.type).toBe('file_changed');
  expect(notice?.text).toContain(
    `--- ${talk.cwd}/a.txt\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+LINE TEN\n line 11\n line 12\n line 13\n`,
  );
  expect(notice?.filesSeen).toMatchObject([{ path: path.join(talk.cwd, 'a.txt') }]);
  expect(await talk.endTurn()).toEqual([]);
});

test('a second change is shown against the first, also after edits and writes of the model', async () => {
  talk = await Conversation.begin({ 'work/a.txt': TEXT });
  await talk.read('a.txt');
  await talk.edit('a.txt', 'line 2\n', 'line two\n');
  await talk.change('a.txt', `${TEXT.replace('line 2\n', 'line two\n')}line 21\n`);
  const [first] = await talk.endTurn();
  await talk.change('a.txt', `line 0\n${TEXT.replace('line 2\n', 'line two\n')}line 21\n`);
  const [second] = await talk.endTurn();
  await talk.write('b.txt', 'one\r\ntwo');
  await talk.change('b.txt', 'one\r\n2');
  const [third] = await talk.endTurn();

  expect(first?.text).toContain(' line 20\n+line 21\n');
  expect(second?.text).toContain('@@ -1,3 +1,4 @@\n+line 0\n line 1\n line two\n');
  expect(third?.text).toContain(' one\r\n-two\n+2\n');
});

test('a mentioned file, an empty file and one with a byte order mark are shown too', async () => {
  talk = await Conversation.begin({
    'work/m.txt': 'mentioned\n',
    'work/empty.txt': '',
    'work/bom.txt': '\uFEFFone\r\ntwo\r\n',
  });
  const mention = await attachMentions({
    prompt: '@m.txt',
    workingDirectory: talk.cwd,
    roots: [talk.cwd],
  });
  talk.attach('file', mention!);
  await talk.read('empty.txt');
  await talk.read('bom.txt');
  await talk.change('m.txt', 'mentioned\nmore\n');
  await talk.change('empty.txt', 'filled\n');
  await talk.change('bom.txt', '\uFEFFone\r\ntwo\r\nthree\r\n');

  const [notice] = await talk.endTurn();

  expect(notice?.text).toContain(' mentioned\n+more');
  expect(notice?.text).toContain('+filled');
  expect(notice?.text).toContain('+three');
  expect(notice?.filesSeen).toHaveLength(3);
});

test('a touched file has not changed', async () => {
  talk = await Conversation.begin({ 'work/a.txt': TEXT });
  await talk.read('a.txt');
  await talk.touch('a.txt');

  expect(await talk.endTurn()).toEqual([]);
});

test('a deleted file is told once and dropped', async () => {
  talk = await Conversation.begin({ 'work/a.txt': TEXT });
  await talk.read('a.txt');
  await talk.remove('a.txt');

  const [notice] = await talk.endTurn();

  expect(notice?.text).toContain(`${talk.cwd}/a.txt is no longer there.`);
  expect(notice?.filesSeen).toEqual([]);
  await talk.change('a.txt', 'again\n');
  expect(await talk.endTurn()).toEqual([]);
});

test('what was seen in part, is no text or is big is named once and has to be read again', async () => {
  talk = await Conversation.begin({
    'work/part.txt': TEXT,
    'work/binary': TEXT,
    'work/big.log': TEXT,
  });
  await talk.read('part.txt', { offset: 5, limit: 2 });
  await talk.read('binary');
  await talk.read('big.log');
  await talk.change('part.txt', TEXT.replace('line 5', 'five'));
  await talk.change('binary', Buffer.from([137, 80, 78, 71, 0]));
  await talk.change('big.log', 'x\n'.repeat(200_000));

  const [notice] = await talk.endTurn();

  for (const name of ['part.txt', 'binary', 'big.log']) {
    expect(notice?.text).toContain(`${name} has changed: read it again`);
  }
  expect(notice?.filesSeen).toEqual([]);
  await talk.change('big.log', 'y\n'.repeat(200_000));
  expect(await talk.endTurn()).toEqual([]);
  await talk.read('part.txt');
  await talk.change('part.txt', TEXT);
  expect((await talk.endTurn())[0]?.text).toContain('-five\n+line 5\n');
});

test('a long change is cut and does not count as read; many changes stay within 8,000 characters', async () => {
  talk = await Conversation.begin();
  const names = Array.from({ length: 150 }, (_, index) => `${'n'.repeat(60)}-${index}.txt`);
  for (const name of names) await talk.write(name, 'short\n');
  for (const name of names) await talk.change(name, 'a longer line\n'.repeat(1_000));

  const [notice] = await talk.endTurn();

  expect(notice?.text).toContain('[cut: read the file for the rest]');
  expect(notice?.text).toMatch(/\d+ more files that you have seen have changed/);
  expect(notice!.text.length).toBeLessThan(8_700);
  expect(notice?.filesSeen).toEqual([]);
  expect(notice?.keys).toHaveLength(150);
  expect(await talk.endTurn()).toEqual([]);
});

test('nothing is shown of what lies outside the folders or must not be read', async () => {
  talk = await Conversation.begin({
    'work/link.txt': 'a\n',
    'work/denied.txt': 'b\n',
    key: 'secret',
  });
  await talk.read('link.txt');
  await talk.read('denied.txt');
  await talk.remove('link.txt');
  await symlink(path.join(talk.folder.path, 'key'), path.join(talk.cwd, 'link.txt'));
  await talk.change('denied.txt', 'c\n');

  const told = await talk.endTurn({ mayRead: (file) => !file.endsWith('denied.txt') });

  expect(told).toEqual([]);
});
