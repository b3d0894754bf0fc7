import type { Writable } from 'node:stream';
import { Pace } from './pace';
import type { Shown, StatusLine } from './status-line';

/** Progress for a log file, or a terminal that understands no sequences. */
export class PlainLines implements StatusLine {
  readonly isRewritten = false;
  readonly #stream: Writable;
  readonly #pace = new Pace();
  #isClosed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  show(shown: Shown | null): void {
    if (shown === null || this.#isClosed) return;
    if (!this.#pace.isDue(performance.now(), shown.part)) return;
    const { head, body, tail } = shown;
    this.say([head, body, tail].filter((text) => text !== '').join(' · '));
  }

  say(line: string): void {
    this.#stream.write(`${line}\n`);
  }

  clear(): void {
    // What is printed stays.
  }

  close(): void {
    this.#isClosed = true;
  }
}
