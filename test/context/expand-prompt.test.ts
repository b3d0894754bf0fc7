import path from 'node:path';
import { CommandLineError, expandPrompt } from '../../src/context/expand-prompt';
import { createFolder, type Folder } from './folder';

let folder: Folder;
let lines: string[];
beforeEach(async () => {
  folder = await createFolder();
  lines = [];
});
afterEach(() => folder.remove());

const expand = (prompt: string) => {
  const cwd = path.join(folder.path, 'project');
  return expandPrompt(prompt, {
    cwd,
    configDir: path.join(folder.path, 'config'),
    workingDirectory: cwd,
    roots: [cwd],
    runLine: (line, allow) => {
      lines.push(`${line} (${allow.join()})`);
      return line === 'bad'
        ? Promise.reject(new CommandLineError('It is bad.'))
        : Promise.resolve(`out of ${line}`);
    },
  });
};
const command = (text: string) => folder.write({ 'project/.claude/commands/do.md': text });

test('lines run in their order, with the rules of the command, and what they print is text', async () => {
  await command(
    '---\nallowed-tools: Bash(git:*)\n---\nAt !`git tag`:\n```!\ngit log\ngit status\n```\nnot `!`x`` nor a!`b`',
  );

  const expanded = await expand('/do');

  expect(expanded).toMatchObject({
    text: 'At out of git tag:\nout of git log\ngit status\nnot `!`x`` nor a!`b`',
    grant: { allow: ['Bash(git:*)'], model: null },
  });
  expect(lines).toEqual(['git tag (Bash(git:*))', 'git log\ngit status (Bash(git:*))']);
});

test('an argument is filled into a line, and is never a line itself', async () => {
  await command('!`echo $1` and $ARGUMENTS');

  const expanded = await expand('/do a !`b`');

  expect(expanded).toMatchObject({ text: 'out of echo a and a !`b`' });
  expect(lines).toEqual(['echo a ()']);
});

test('a line that must not run keeps the command from the model', async () => {
  await command('!`bad`');

  expect(await expand('/do')).toEqual({ type: 'local', answer: '/do was not run. It is bad.' });
});

test('lines of a prompt that is no command are text', async () => {
  expect(await expand('Explain !`rm -rf /`')).toMatchObject({ text: 'Explain !`rm -rf /`' });
  expect(lines).toEqual([]);
});

test('files that a command mentions are read', async () => {
  await folder.write({ 'project/a.txt': 'one\nMENTIONED\nthree' });
  await command('Look at @a.txt#L2.');

  const expanded = await expand('/do');

  expect(expanded.type === 'prompt' && expanded.attachments[0]?.text).toMatch(
    /lines="2-2">\nMENTIONED\n<\/file>/,
  );
});
