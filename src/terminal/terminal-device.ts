import type { ReadStream, WriteStream } from 'node:tty';
import type { Terminal, TuiLibrary } from './tui-library';

export interface DeviceParts {
  readonly input: ReadStream;
  /** To the real standard output, at once. */
  readonly write: (text: string) => void;
  /** Where the size of the terminal is read; it tells of changes. */
  readonly size: WriteStream;
  readonly StdinBuffer: TuiLibrary['StdinBuffer'];
}

type Keys = InstanceType<TuiLibrary['StdinBuffer']>;

/** Of a lone Esc and the beginning of a sequence only time tells which it is. */
const SEQUENCE_WITHIN_MS = 20;

/** The terminal of this process: its keys one by one, its size, and text for it. What a key is, and pastes, are sorted
 *  out by the library. */
export class TerminalDevice implements Terminal {
  readonly kittyProtocolActive = false;
  readonly #parts: DeviceParts;
  #keys: Keys | null = null;
  #stopListening: () => void = () => undefined;

  constructor(parts: DeviceParts) {
    this.#parts = parts;
  }

  get columns(): number {
    return this.#parts.size.columns || 80;
  }

  get rows(): number {
    return this.#parts.size.rows || 24;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { input, size, StdinBuffer } = this.#parts;
    const keys = new StdinBuffer({ timeout: SEQUENCE_WITHIN_MS });
    keys.on('data', onInput);
    keys.on('paste', (text) => onInput(`\x1b[200~${text}\x1b[201~`));
    const take = (chunk: Buffer | string): void => keys.process(chunk.toString());
    input.setRawMode(true).setEncoding('utf8').on('data', take).resume();
    size.on('resize', onResize);
    this.write('\x1b[?2004h');
    this.#keys = keys;
    this.#stopListening = () => {
      input.off('data', take);
      size.off('resize', onResize);
    };
  }

  /** Safe to repeat: whoever ends the process calls it once more. */
  stop(): void {
    if (this.#keys === null) return;
    this.#keys.destroy();
    this.#keys = null;
    this.#stopListening();
    this.write('\x1b[?2004l\x1b[?25h');
    this.#parts.input.setRawMode(false).pause();
  }

  /** Nothing is asked of the terminal that it could still answer. */
  async drainInput(): Promise<void> {
    return Promise.resolve();
  }

  write(data: string): void {
    this.#parts.write(data);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  }

  hideCursor(): void {
    this.write('\x1b[?25l');
  }

  showCursor(): void {
    this.write('\x1b[?25h');
  }

  clearLine(): void {
    this.write('\x1b[K');
  }

  clearFromCursor(): void {
    this.write('\x1b[J');
  }

  clearScreen(): void {
    this.write('\x1b[2J\x1b[H');
  }

  setTitle(title: string): void {
    this.write(`\x1b]0;${title}\x07`);
  }

  /** Few terminals show it, and the status line says it. */
  setProgress(): void {
    return undefined;
  }
}
