import path from 'node:path';
import { fillIn } from '../../src/context/prompt-template';
import {
  listCommands,
  resolveSlashCommand,
  type SlashCommand,
} from '../../src/context/slash-command';
import { createFolder, type Folder } from './folder';

let folder: Folder;
beforeEach(async () => (folder = await createFolder()));
afterEach(() => folder.remove());

const places = () => ({
  cwd: path.join(folder.path, 'project'),
  configDir: path.join(folder.path, 'config'),
});
const resolve = (prompt: string) => resolveSlashCommand({ prompt, ...places() });
/** What the model gets of it. */
const textOf = (command: SlashCommand): string =>
  command.type === 'prompt' ? fillIn(command.body, command.args) : command.type;
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
  ['/clear', 'clear', ''],
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
  ['Do $ARGUMENTS[1].', '/mine a "b c"', 'Do b c.'],
])('%j called as %j says %j', async (template, prompt, text) => {
  await write('mine.md', template);

  const command = await resolve(prompt);

  expect(command).toMatchObject({ type: 'prompt', file: { name: 'mine' } });
  expect(textOf(command)).toBe(text);
});

test("the project's command comes before the user's, and folders are names", async () => {
  await folder.write({
    'config/commands/one.md': 'user one',
    'config/commands/two.md': 'user two',
  });
  await write('one.md', 'project one');
  await write('front/end/three.md', 'three');

  const texts = await Promise.all(
    ['/one', '/two', '/three', '/end:three', '/front:end:three'].map(async (prompt) =>
      textOf(await resolve(prompt)),
    ),
  );

  expect(texts).toEqual(['project one', 'user two', 'three', 'three', 'three']);
  const names = (await listCommands(places())).map(({ name }) => name);
  expect(names).toEqual([
    ...['clear', 'compact', 'context', 'cost', 'init'],
    ...['front:end:three', 'one', 'two'],
  ]);
});

test('what stands at the top of a file is told and kept from the model', async () => {
  await write(
    'fix.md',
    '---\ndescription: Mends an issue\nargument-hint: [number]\nallowed-tools: Bash(git add:*, git commit:*), Read Edit\nmodel: haiku\n---\nMend $1.',
  );

  const command = await resolve('/fix 7');

  expect(command).toMatchObject({
    type: 'prompt',
    body: 'Mend $1.',
    args: '7',
    file: {
      description: 'Mends an issue',
      argumentHint: '[number]',
      allowedTools: ['Bash(git add:*, git commit:*)', 'Read', 'Edit'],
      model: 'haiku',
    },
  });
});

test('a skill is called like a command, unless it is for the model alone', async () => {
  await folder.write({
    'project/.claude/skills/poem/SKILL.md': '---\nname: poem\n---\nWrite a poem of $ARGUMENTS.',
    'config/skills/quiet/SKILL.md': '---\nuser-invocable: false\n---\nNever.',
  });

  const poem = await resolve('/poem rain');

  expect(textOf(poem)).toBe(
    `Base folder of this skill: ${folder.path}/project/.claude/skills/poem\n\nWrite a poem of rain.`,
  );
  expect(await resolve('/quiet')).toEqual({ type: 'unknown', name: 'quiet' });
});

test('the commands of a plugin have its name before theirs', async () => {
  await folder.write({
    'tools/.claude-plugin/plugin.json': '{"name": "tools", "commands": "./more"}',
    'tools/commands/one.md': 'plugin one',
    'tools/more/two.md': 'plugin two',
  });
  await write('one.md', 'project one');

  const of = async (prompt: string) => {
    const pluginDirs = [path.join(folder.path, 'tools')];
    const command = await resolveSlashCommand({ prompt, ...places(), pluginDirs });
    return textOf(command);
  };

  expect(await Promise.all(['/one', '/tools:one', '/tools:two', '/two'].map(of))).toEqual([
    'project one',
    'plugin one',
    'plugin two',
    'plugin two',
  ]);
});

test('settings that do not count take their commands along', async () => {
  await folder.write({ 'config/commands/two.md': 'user two' });
  await write('one.md', 'project one');
  const of = (prompt: string) =>
    resolveSlashCommand({ prompt, ...places(), sources: ['user'] }).then(({ type }) => type);

  expect(await Promise.all([of('/one'), of('/two')])).toEqual(['unknown', 'prompt']);
});
