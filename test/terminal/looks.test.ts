// Needs: a Temporal server (started by the run), and the built product, which it drives in a real pty.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, says } from '../support/replies';
import { ENTER, UP, withTerminals } from './pty-world';

jest.setTimeout(300_000);

const bash = (command: string) => call('Bash', { command, description: 'x' });
/** Sequences that set a colour, of text or of what is behind it. */
const COLOUR = /\x1b\[(?:[34][0-9]|9[0-7]|10[0-7]|[34]8)[;m\d]*m/;

test('after a change of width everything fits again', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
  await withTerminals({ script: [says(words)] }, async (world) => {
    const terminal = world.open();
    await terminal.say('speak');
    await terminal.shows('word59');

    terminal.resize(40, 24);
    const flat = (text: string): string => text.replace(/\s+/g, ' ');
    await terminal.until('wrap between words', (text) => flat(text).includes(words));

    const lines = terminal.text.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40);
  });
});

test('NO_COLOR takes the colours away, and nothing else', async () => {
  await withTerminals({ script: [calls(bash('echo made')), says('**Done.**')] }, async (world) => {
    const terminal = world.open([], { NO_COLOR: '1' });
    await terminal.say('work');
    await terminal.shows('● Done.');

    expect(terminal.raw).not.toMatch(COLOUR);
    expect(terminal.raw).toContain('\x1b[1m');
  });
});

test('a dumb terminal gets plain lines, asks, and takes answers', async () => {
  await withTerminals({ script: [calls(bash('touch made')), says('**Done.**')] }, async (world) => {
    const terminal = world.open([], { TERM: 'dumb' });
    await terminal.say('work');
    await terminal.shows('Bash wants to run');
    terminal.press(`1${ENTER}`);
    await terminal.shows('Done.');
    terminal.press(`/exit${ENTER}`);

    expect(await terminal.ended).toBe(0);
    expect(terminal.raw).not.toMatch(/\x1b/);
  });
});

test('commands and files are completed, and what was typed comes back in the next terminal', async () => {
  await withTerminals({ script: [says('Read it.')] }, async (world) => {
    mkdirSync(join(world.project, 'src'));
    writeFileSync(join(world.project, 'src', 'parser.ts'), 'export {};\n');
    const first = world.open();
    await first.shows('/help');
    first.press('look at @pars');
    await first.shows('src/parser.ts');
    first.press('\t');
    await first.shows('look at @src/parser.ts');
    first.press(ENTER);
    await first.shows('Read it.');
    first.press('/co');
    await first.shows('/context');
    first.press(`ntext${ENTER}`);
    await first.shows(/░ .* of .*k tokens/);
    await first.kill();

    const second = world.open();
    await second.shows('/help');
    second.press(UP);
    await second.shows('/context');
    second.press(UP);
    await second.shows('look at @src/parser.ts');
    expect(readFileSync(join(world.home, 'history.jsonl'), 'utf8')).toContain('parser.ts');
  });
});
