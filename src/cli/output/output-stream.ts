import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

const COLUMNS = 80;

/** stdout or stderr. A reader that goes away is no reason to stop: what is written after it is dropped. */
export class OutputStream {
  /** Resolves with what went wrong when nothing can be written any more. */
  readonly failed: Promise<Error>;
  readonly #stream: Writable;
  #failure: Error | null = null;
  #fail: (error: Error) => void = () => undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.failed = new Promise((resolve) => (this.#fail = resolve));
    // Without a listener, EPIPE would end the process in the middle of a turn.
    stream.on('error', (error) => this.#hasFailed(error));
  }

  /** Why nothing can be written any more; null: it can. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Width of the terminal that it is; null: it is none. */
  get columns(): number | null {
    const { isTTY, columns } = this.#stream as Partial<WriteStream>;
    return isTTY === true ? columns || COLUMNS : null;
  }

  /** Resolves when the text has left: a slow reader slows the writer down. Never fails. */
  write(text: string): Promise<void> {
    if (this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#hasFailed(error);
        resolve();
      });
    });
  }

  writeLine(value: unknown): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  #hasFailed(error: Error): void {
    this.#failure ??= error;
    this.#fail(error);
  }
}
