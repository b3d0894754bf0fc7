import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { Terminal } from '@xterm/headless';
import { RewrittenLine } from '../../src/progress/rewritten-line';
import type { Shown } from '../../src/progress/status-line';
import { createTheme } from '../../src/terminal/theme';

const shown = (body: string): Shown => ({ head: '', body, tail: '', part: null, tone: 'calm' });

/** A line on a screen of so many columns. */
function screenOf(columns: number) {
  const screen = new Terminal({ cols: columns, rows: 8, convertEol: true, allowProposedApi: true });
  const stream = Object.assign(new EventEmitter(), {
    columns,
    raw: '',
    write(text: string) {
      this.raw += text;
      screen.write(text);
      return true;
    },
  });
  const line = new RewrittenLine(
    stream as unknown as WriteStream,
    createTheme('none'),
    (text) => text.length,
  );
  return {
    stream,
    line,
    resize: (to: number): void => {
      stream.columns = to;
      screen.resize(to, 8);
    },
    text: async (): Promise<string> => {
      await new Promise<void>((resolve) => screen.write('', resolve));
      const rows = Array.from({ length: 8 }, (_row, index) => index);
      const { active } = screen.buffer;
      return rows
        .map((row) => active.getLine(row)?.translateToString(true) ?? '')
        .join('\n')
        .trimEnd();
    },
  };
}

test('each text takes the place of the last one, and none is left at the end', async () => {
  const { line, text } = screenOf(40);

  line.show(shown('a long text that stands there'));
  line.show(shown('a short one'));
  expect(await text()).toBe('a short one');

  line.close();
  line.show(shown('too late'));
  expect(await text()).toBe('');
});

test('what others print to the stream goes above it', async () => {
  const { line, stream, text } = screenOf(40);

  line.show(shown('works'));
  stream.write('a warning\n');
  line.show(shown('works on'));

  expect(await text()).toBe('a warning\nworks on');
});

test('a line that others have begun is left to them until they end it', async () => {
  const { line, stream, text } = screenOf(40);

  stream.write('Password: ');
  line.show(shown('works'));
  expect(await text()).toBe('Password:');

  stream.write('\n');
  line.show(shown('works'));
  expect(await text()).toBe('Password: \nworks');
});

test('it is never wider than the terminal, and goes as a whole when that becomes narrower', async () => {
  const { line, text, resize } = screenOf(30);

  line.show(shown('0123456789012345678901234567890123456789'));
  expect(await text()).toBe('0123456789012345678901234567…');
  resize(12);
  line.show(shown('narrow'));

  expect(await text()).toBe('narrow');
});

test('it leaves the stream as it was', () => {
  const { line, stream } = screenOf(40);

  line.close();
  stream.write('\x1b[32mmine');

  expect(stream.raw).toBe('\x1b[32mmine');
});
