import type { Readable } from 'node:stream';
import { LONGEST_BYTES } from './lines';
import { unreadable, UnusableInput } from './unusable-input';

export interface StandardInput {
  readonly stream: Readable;
  readonly isTerminal: boolean;
}

/** A pipe that nobody writes to and nobody closes must not hold up a prompt that is there already. */
const PATIENCE_MS = 3_000;

/** The prompt of a text-mode command: from the arguments, from stdin, or both, stdin last.
 *  Fails: UnusableInput when there is none. */
export async function readPrompt(
  argument: string | null,
  stdin: StandardInput,
  patienceMs: number = PATIENCE_MS,
): Promise<string> {
  const piped = stdin.isTerminal ? '' : await readAll(stdin.stream, argument ? patienceMs : null);
  const prompt = [argument ?? '', piped].filter((part) => part.trim() !== '').join('\n');
  if (prompt === '') {
    throw new UnusableInput(
      'There is no prompt. Give one: everloop -p "what to do", or pipe it into everloop -p.',
    );
  }
  return prompt;
}

/** Everything up to the end of the stream; '' if the first byte does not come in time. */
async function readAll(stream: Readable, patienceMs: number | null): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer =
    patienceMs === null
      ? undefined
      : setTimeout(() => {
          stream.destroy();
        }, patienceMs);
  try {
    for await (const chunk of stream) {
      clearTimeout(timer);
      const read = Buffer.from(chunk as Buffer | string);
      chunks.push(read);
      bytes += read.length;
      if (bytes > LONGEST_BYTES) break;
    }
  } catch (error) {
    // A prompt that is there already needs no more.
    if (chunks.length > 0 || patienceMs === null) throw unreadable(error);
  } finally {
    clearTimeout(timer);
  }
  if (bytes > LONGEST_BYTES) {
    throw new UnusableInput(
      `The prompt on standard input has more than ${LONGEST_BYTES} bytes. Give a shorter one, or the name of a file to read.`,
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}
