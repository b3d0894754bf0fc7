import path from 'node:path';
import { listCustomCommands, resolveSlashCommand } from '../../src/context/slash-command';
import { createFolder, type Folder } from './folder';

let folder: Folder;
beforeEach(async () => (folder = await createFolder()));
afterEach(() => folder.remove());

const places = () => ({
  cwd: path.join(folder.path, 'project'),
  configDir: path.join(folder.path, 'config'),
});
const resolve = (prompt: string) => resolveSlashCommand({ prompt, ...places() });
const write = (name: string, text: string) =>
  folder.write({ [`project/.claude/commands/${name}`]: text });

test.each(['hello', '/usr/bin is full', '/', '/ x', '/Users', '/9', 'see /context', ' //x'])(
  '%j is ordinary text',
  async (prompt) => {
    expect(await resolve(prompt)).toEqual({ type: 'none' });
  },
);

test('a command that nobody has is unknown', async () => {
  expect(await resolve('/nosuchcommand foo')).toEqual({ type: 'unknown', name: 'nosuchcommand' });
});

test.each([
  ['/context', 'context', ''],
  ['/cost ', 'cost', ''],
  ['/compact keep the names\nand places', 'compact', 'keep the names\nand places'],
])('%j is answered here', async (prompt, name, args) => {
  await write('context.md', 'never');

  expect(await resolve(prompt)).toEqual({ type: 'local', name, args });
});

test.each([
  ['Do the thing with $ARGUMENTS\n', '/mine zebra', 'Do the thing with zebra'],
  ['---\ndescription: x\n---\nDo $1, then $2; $3.', '/mine "a b" c', 'Do a b, then c; .'],
  ['---\n---\nDo.', '/mine', 'Do.'],
  ['Do $1 of $ARGUMENTS', '/mine $2 $ARGUMENTS', 'Do $2 of $2 $ARGUMENTS'],
  ['Do it.', '/mine now please', 'Do it.\n\nARGUMENTS: now please'],
  ['Costs $10', '/mine', 'Costs $10'],
])('%j called as %j says %j', async (template, prompt, text) => {
  await write('mine.md', template);

  expect(await resolve(prompt)).toEqual({ type: 'prompt', name: 'mine', text });
});

test("the project's command comes before the user's, and folders are names", async () => {
  await folder.write({
    'config/commands/one.md': 'user one',
    'config/commands/two.md': 'user two',
  });
  await write('one.md', 'project one');
  await write('front/end/three.md', 'three');

  const texts = await Promise.all(
    ['/one', '/two', '/three', '/end:three', '/front:end:three'].map(async (prompt) => {
      const command = await resolve(prompt);
      return command.type === 'prompt' ? command.text : command.type;
    }),
  );

  expect(texts).toEqual(['project one', 'user two', 'three', 'three', 'three']);
  expect(await listCustomCommands(places().cwd, places().configDir)).toEqual([
    'one',
    'three',
    'two',
  ]);
});
