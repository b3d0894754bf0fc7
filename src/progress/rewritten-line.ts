import type { WriteStream } from 'node:tty';
import type { Theme } from '../terminal/theme';
import { fitLine } from './fit-line';
import type { Shown, StatusLine } from './status-line';
import type { WidthOf } from './text-width';

const COLUMNS = 80;

/** The last line of a terminal, rewritten in place. What anybody else prints to the same stream goes above it. */
export class RewrittenLine implements StatusLine {
  readonly isRewritten = true;
  readonly #stream: WriteStream;
  readonly #theme: Theme;
  readonly #widthOf: WidthOf;
  readonly #write: WriteStream['write'];
  readonly #erase = (): void => this.clear();
  /** Columns of what stands there; 0: nothing. */
  #drawn = 0;
  /** Others have begun a line and not ended it. */
  #isShared = false;
  #isClosed = false;

  constructor(stream: WriteStream, theme: Theme, widthOf: WidthOf) {
    this.#stream = stream;
    this.#theme = theme;
    this.#widthOf = widthOf;
    this.#write = stream.write.bind(stream);
    stream.write = this.#writeAbove.bind(this);
    // However the process ends, as far as it is told.
    process.on('exit', this.#erase);
  }

  show(shown: Shown | null): void {
    if (this.#isClosed || this.#isShared) return;
    // The last column stays free: behind it, terminals differ in where the cursor is.
    const columns = (this.#stream.columns || COLUMNS) - 1;
    const text = shown === null ? '' : fitLine(shown, columns, this.#widthOf);
    const paint = PAINTS[shown?.tone ?? 'calm'];
    this.#write(`${this.#eraser()}${this.#theme[paint](text)}`);
    this.#drawn = this.#widthOf(text);
  }

  say(line: string): void {
    this.clear();
    this.#write(`${line}\n`);
  }

  clear(): void {
    if (this.#drawn === 0) return;
    this.#write(this.#eraser());
    this.#drawn = 0;
  }

  close(): void {
    if (this.#isClosed) return;
    this.clear();
    this.#isClosed = true;
    this.#stream.write = this.#write;
    process.off('exit', this.#erase);
  }

  /** A terminal that has become narrower has folded the line. */
  #eraser(): string {
    if (this.#drawn === 0) return '';
    const rows = Math.ceil(this.#drawn / (this.#stream.columns || COLUMNS));
    return `\r${rows > 1 ? `\x1b[${rows - 1}A` : ''}\x1b[J`;
  }

  #writeAbove(...args: readonly unknown[]): boolean {
    this.clear();
    const [chunk] = args;
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
    this.#isShared = text !== '' && !text.endsWith('\n');
    return Reflect.apply(this.#write, this.#stream, args) as boolean;
  }
}

const PAINTS = { calm: 'dim', waits: 'warning', failed: 'bad' } as const;
