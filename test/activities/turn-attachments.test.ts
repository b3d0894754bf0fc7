import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReplyBlock } from '../../src/scripted-model/reply';
import { given, type Given, type Said } from './given';
import { expectSamePrefixes, lastTextsOf, messagesOf } from './requests';
import { firstTurn, takeTurn, takeTurns } from './turns';

let at: Given;
afterEach(() => at.close());

const done = { content: [{ type: 'text', text: 'Done.' }] } as const;
const read = (file: string): ReplyBlock => ({
  type: 'tool_use',
  name: 'Read',
  input: { file_path: file },
});
const bash = (command: string): ReplyBlock => ({
  type: 'tool_use',
  name: 'Bash',
  input: { command },
});

/** A folder with files, and a model that makes these calls, a turn each, and then has done. */
async function playing(
  files: Readonly<Record<string, string>>,
  calls: readonly ReplyBlock[],
): Promise<Said> {
  at = await given({ script: [...calls.map((call) => ({ content: [call] })), done, done] });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(at.workspace, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return at.worker().say('Do it');
}

const fresh = (turns: number): undefined[] => Array.from({ length: turns }, () => undefined);
const countIn = (index: number, words: string): number =>
  JSON.stringify(messagesOf(at, index)).split(words).length - 1;

test('the instructions of a folder come once, behind the first result from there', async () => {
  const files = { 'sub/CLAUDE.md': 'Speak Latin.', 'sub/a.txt': 'a', 'sub/b.txt': 'b' };
  const said = await playing(files, [read('sub/a.txt'), read('sub/b.txt')]);

  await takeTurns(at, said, fresh(3));

  expect([0, 1, 2].map((index) => countIn(index, 'Speak Latin.'))).toEqual([0, 1, 1]);
  expect(lastTextsOf(at, 1)).toEqual([expect.stringContaining('sub/CLAUDE.md') as string]);
  expectSamePrefixes(at);
});

test('a file that a command changed is told once, with the change', async () => {
  const said = await playing({ 'a.txt': 'one\n' }, [
    read('a.txt'),
    bash('echo two >> a.txt'),
    bash('true'),
  ]);

  await takeTurns(at, said, fresh(4));

  expect(lastTextsOf(at, 2)).toEqual([expect.stringMatching(/a\.txt[^]*two/) as string]);
  expect(lastTextsOf(at, 3)).toEqual([]);
  expectSamePrefixes(at);
});

test('a file that was changed between two prompts is told beside the second', async () => {
  const said = await playing({ 'a.txt': 'one\n' }, [read('a.txt')]);
  const { leaf } = await takeTurns(at, said, fresh(2));
  await rm(path.join(at.workspace, 'a.txt'));
  const worker = at.worker();

  const next = firstTurn(await worker.say('And now?'), leaf);
  await takeTurn(at, worker, next);

  expect(lastTextsOf(at, -1)).toEqual([
    'And now?',
    expect.stringContaining('is no longer there') as string,
  ]);
});

test('what is attached is a record that people are not shown as a message', async () => {
  const said = await playing({ 'sub/CLAUDE.md': 'Speak Latin.', 'sub/a.txt': 'a' }, [
    read('sub/a.txt'),
  ]);

  await takeTurns(at, said, fresh(2));

  const attached = (await at.worker().transcript()).filter(({ type }) => type === 'attachment');
  expect(attached).toMatchObject([
    {
      attachment: { type: 'nested_memory' },
      everloop: {
        attached: {
          source: 'nested_memory',
          keys: [path.join(at.workspace, 'sub/CLAUDE.md')],
        },
      },
    },
  ]);
});

test('a source that fails does no harm: the others speak, and the request leaves', async () => {
  const tooLong = `---\npaths: ${'x'.repeat(70_000)}\n---\nNever read.`;
  const said = await playing(
    {
      'a.txt': 'one\n',
      'sub/CLAUDE.md': 'Speak Latin.',
      'sub/b.txt': 'b',
      '.claude/rules/long.md': tooLong,
    },
    [read('sub/b.txt'), read('a.txt'), bash('echo two >> a.txt')],
  );

  await takeTurns(at, said, fresh(4));

  expect(countIn(3, 'Speak Latin.')).toBe(0);
  expect(lastTextsOf(at, 3)).toEqual([expect.stringContaining('two') as string]);
});
