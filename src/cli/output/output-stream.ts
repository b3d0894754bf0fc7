import type { Writable } from 'node:stream';

/** stdout or stderr. A reader that goes away is no reason to stop: what is written after it is dropped. */
export class OutputStream {
  readonly #stream: Writable;
  #isGone = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Without a listener, EPIPE would end the process in the middle of a turn.
    stream.on('error', () => (this.#isGone = true));
  }

  /** Resolves when the text has left: a slow reader slows the writer down. Never fails. */
  write(text: string): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#isGone = true;
        resolve();
      });
    });
  }

  writeLine(value: unknown): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }
}
