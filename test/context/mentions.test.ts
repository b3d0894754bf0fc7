import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { attachMentions, findMentions } from '../../src/context/mentions';
import { createFolder, type Folder } from './folder';

test.each([
  ['Look at @a.txt please', ['a.txt']],
  ['@src/a.ts, (@b.ts) and @c.ts.', ['src/a.ts', 'b.ts', 'c.ts']],
  ['@"a name.txt" and @a.txt @a.txt', ['a name.txt', 'a.txt']],
  ['write to ann@example.com', []],
  ['`@a.txt` and ```\n@b.txt\n``` and ```@c.txt', []],
  ['@ alone, @@', ['@']],
])('%j mentions %j', (prompt, expected) => {
  expect(findMentions(prompt)).toEqual(expected);
});

describe('what is attached', () => {
  let folder: Folder;
  beforeEach(async () => (folder = await createFolder()));
  afterEach(() => folder.remove());

  const attach = (prompt: string, mayRead?: (file: string) => boolean) => {
    const project = path.join(folder.path, 'project');
    return attachMentions({
      prompt,
      workingDirectory: project,
      roots: [project],
      ...(mayRead !== undefined && { mayRead }),
    });
  };

  test('a file comes with its content and counts as read', async () => {
    await folder.write({ 'project/a.txt': 'MENTIONED\n' });

    const attachment = await attach('Look at @a.txt please');

    const file = path.join(folder.path, 'project/a.txt');
    expect(attachment?.text).toContain(`<file path="${file}">\nMENTIONED\n\n</file>`);
    expect(attachment?.text).toMatch(/^<system-reminder>\n/);
    expect(attachment?.filesSeen).toEqual([
      {
        path: file,
        mtimeMs: expect.any(Number) as number,
        digest: 'c6cf30b4c113647d9b40ca1334750d322985faf7aa4913a621a54f7bc118b2e5',
      },
    ]);
  });

  test('a folder comes as a list', async () => {
    await folder.write({ 'project/src/b.ts': '', 'project/src/sub/c.ts': '' });

    const attachment = await attach('@src');

    expect(attachment?.text).toContain('b.ts\nsub/\n</folder>');
    expect(attachment?.filesSeen).toEqual([]);
  });

  test.each([
    ['@a.txt#L2', 'two'],
    ['@a.txt#L2-3', 'two\nthree'],
    ['@a.txt#L3-9.', 'three'],
  ])('%s brings these lines', async (mention, lines) => {
    await folder.write({ 'project/a.txt': 'one\ntwo\nthree' });

    expect((await attach(mention))?.text).toContain(`">\n${lines}\n</file>`);
  });

  test('a part of a file that is too large can be mentioned', async () => {
    await folder.write({ 'project/large.txt': `one\n${'x'.repeat(300 * 1024)}` });

    expect((await attach('@large.txt#L1'))?.text).toContain('>\none\n</file>');
  });

  test('an image comes as an image', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    await folder.write({ 'project/a.png': png });

    expect((await attach('@a.png'))?.images).toEqual([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
      },
    ]);
  });

  test('what is too large or no text is named, not read', async () => {
    await folder.write({
      'project/large.txt': 'x'.repeat(256 * 1024 + 1),
      'project/image.png': Buffer.from([137, 80, 0, 1]),
    });

    const attachment = await attach('@large.txt @image.png');

    expect(attachment?.text).toContain(
      'large.txt was not read: it has 262145 bytes, more than 262144',
    );
    expect(attachment?.text).toContain('image.png is not a text file');
    expect(attachment?.filesSeen).toEqual([]);
  });

  test('files outside the roots, forbidden ones and missing ones stay text', async () => {
    await folder.write({ 'secret.txt': 'secret', 'project/.env': 'secret' });
    await symlink(path.join(folder.path, 'secret.txt'), path.join(folder.path, 'project/link'));

    const attachment = await attach(
      `@../secret.txt @${folder.path}/secret.txt @link @.env @nowhere`,
      (file) => !file.endsWith('.env'),
    );

    expect(attachment).toBeNull();
  });
});
