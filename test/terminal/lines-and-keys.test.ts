import { printable } from '../../src/terminal/block';
import { Completion } from '../../src/terminal/completion';
import { elapsed } from '../../src/terminal/elapsed';
import { keyAction, type KeyState } from '../../src/terminal/key-action';
import { coloursOf, createTheme } from '../../src/terminal/theme';
import { readTypedLine } from '../../src/terminal/typed-line';

test.each([
  ['  ', { type: 'nothing' }],
  ['fix it', { type: 'prompt', text: 'fix it' }],
  ['/model opus', { type: 'command', name: 'model', argument: 'opus' }],
  // Of the folder, or the session's own: not for the terminal.
  ['/compact now', { type: 'prompt', text: '/compact now' }],
  ['/usr/bin is a folder', { type: 'prompt', text: '/usr/bin is a folder' }],
])('"%s" asks for %j', (typed, line) => {
  expect(readTypedLine(typed)).toEqual(line);
});

const IDLE: KeyState = {
  isWorking: false,
  isInputEmpty: true,
  isCompleting: false,
  isAsking: false,
  isWarned: false,
};

test.each([
  ['ctrl+c', {}, 'warn'],
  ['ctrl+c', { isInputEmpty: false }, 'clear_input'],
  ['ctrl+c', { isWorking: true }, 'interrupt_and_warn'],
  ['ctrl+c', { isWarned: true }, 'leave'],
  ['escape', {}, null],
  ['escape', { isWorking: true }, 'interrupt'],
  ['escape', { isWorking: true, isCompleting: true }, null],
  ['escape', { isWorking: true, isAsking: true }, null],
  ['ctrl+d', {}, 'leave'],
  ['ctrl+d', { isInputEmpty: false }, null],
  ['ctrl+b', { isWorking: true }, 'detach'],
  ['a', {}, null],
])('%s in %j: %s', (key, state, action) => {
  expect(keyAction(key, { ...IDLE, ...state })).toBe(action);
});

const completion = new Completion({
  commands: [{ name: 'review', description: 'of the folder' }],
  files: async () => ['src/parser.ts', 'a name.txt', 'README.md'],
  rank: (files, query) => files.filter((file) => file.includes(query)),
});
const options = { signal: new AbortController().signal };

test('commands of the terminal and of the folder are completed, at the beginning alone', async () => {
  const suggested = async (line: string) =>
    (await completion.getSuggestions([line], 0, line.length, options))?.items.map(
      ({ value }) => value,
    );

  expect(await suggested('/re')).toEqual(['/review']);
  expect(await suggested('/mo')).toEqual(['/model']);
  expect(await suggested('see /mo')).toBeUndefined();
});

test('a file takes the place of the mention, quoted if it must be', async () => {
  const line = 'look at @name please';
  const found = await completion.getSuggestions([line], 0, 13, options);

  const applied = completion.applyCompletion([line], 0, 13, found!.items[0]!, found!.prefix);

  expect(applied.lines).toEqual(['look at @"a name.txt"  please']);
});

test('a suggestion for what is no longer typed changes nothing', async () => {
  const found = await completion.getSuggestions(['/mo'], 0, 3, options);

  const applied = completion.applyCompletion(['/more'], 0, 5, found!.items[0]!, found!.prefix);

  expect(applied.lines).toEqual(['/more']);
});

test.each([
  [999, '0s'],
  [61_000, '1m 01s'],
  [3_720_000, '1h 02m'],
])('%i ms are %s', (ms, text) => {
  expect(elapsed(ms)).toBe(text);
});

test.each([
  [{ TERM: 'xterm' }, 'all'],
  [{ TERM: 'xterm', NO_COLOR: '1' }, 'none'],
  [{ TERM: 'xterm', NO_COLOR: '' }, 'all'],
  [{ TERM: 'dumb' }, 'plain'],
  [{}, 'plain'],
] as const)('%j: colours %s', (environment, colours) => {
  expect(coloursOf(environment)).toBe(colours);
});

test('without colours weight stays; a plain terminal gets no sequence', () => {
  expect(createTheme('none').added('+')).toBe('+');
  expect(createTheme('none').bold('b')).toBe('\x1b[1mb\x1b[22m');
  expect(createTheme('plain').bold('b')).toBe('b');
});

test('foreign output cannot move the cursor', () => {
  expect(printable('a\x1b[2Jb\x1b]0;title\x07c\r\n\td\b')).toBe('abc\n    d');
});
