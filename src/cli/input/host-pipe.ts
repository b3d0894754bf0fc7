import { setTimeout as pause } from 'node:timers/promises';
import type { Surroundings } from '../surroundings';
import { fromLine, type ClientMessage } from './client-message';
import { readLines } from './lines';

/** The two ends of a pipe that a dying process held are closed one after the other. */
const CLOSING_MS = 100;

/** stdin and stdout of a command that a program drives. */
export class HostPipe {
  readonly #streams: Pick<Surroundings, 'stdin' | 'stdout'>;

  constructor(streams: Pick<Surroundings, 'stdin' | 'stdout'>) {
    this.#streams = streams;
  }

  /** What the program says, up to the end of stdin. A program that has closed our stdout has no more to say.
   *  Fails: UnusableInput. */
  async *messages(): AsyncGenerator<ClientMessage, void> {
    const { stdin, stdout } = this.#streams;
    void stdout.failed.then(() => stdin.stream.destroy());
    try {
      for await (const line of readLines(stdin.stream)) yield fromLine(line);
    } catch (error) {
      if (stdout.failure === null) throw error;
    }
  }

  /** Whether anybody reads what we write, when stdin has ended: a program may close its input and still listen,
   *  one that was killed does not. */
  async isHeard(): Promise<boolean> {
    await pause(CLOSING_MS);
    await this.#streams.stdout.writeLine({ type: 'keep_alive' });
    return this.#streams.stdout.failure === null;
  }
}
