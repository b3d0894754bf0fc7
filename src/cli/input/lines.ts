import { unreadable, UnusableInput } from './unusable-input';

const LINE_FEED = 0x0a;
/** Twice what the Messages API takes in one request: whoever sends more in one piece sends no prompt. */
export const LONGEST_BYTES = 64 * 1024 * 1024;

export interface InputLine {
  /** Without its end. */
  readonly text: string;
  /** false: the input ended before the line did. */
  readonly isWhole: boolean;
}

/** Lines of a byte stream. Only \n ends a line: other separators may stand inside JSON texts.
 *  Bytes are joined before they are decoded, so a character may be cut anywhere; a line may be tens of MB.
 *  Fails: UnusableInput when a line does not end, or the stream cannot be read. */
export async function* readLines(
  source: AsyncIterable<Buffer | string>,
  longestBytes: number = LONGEST_BYTES,
): AsyncGenerator<InputLine, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readable(source)) {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      yield { text: toText([...parts, rest.subarray(0, end)]), isWhole: true };
      parts = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    parts.push(rest);
    bytes += rest.length;
    if (bytes > longestBytes) throw tooLong(longestBytes);
  }
  if (parts.length > 0) yield { text: toText(parts), isWhole: false };
}

/** What goes wrong in the body of a loop over it is not its concern. */
async function* readable<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    for await (const chunk of source) yield chunk;
  } catch (error) {
    throw unreadable(error);
  }
}

const toText = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('utf8');

const tooLong = (longestBytes: number): UnusableInput =>
  new UnusableInput(
    `Input cannot be used: a line has more than ${longestBytes} bytes and no end. Send one JSON object a line (stream-json).`,
  );
