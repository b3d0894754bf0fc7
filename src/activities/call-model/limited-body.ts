import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ANYWAY, UnusableAnswer } from './unusable-answer';

/** What an answer says, decompressed, up to the limit; null: nothing can follow such a status.
 *  Fails while it is read: UnusableAnswer when it is longer. */
export function limitedBody(
  answer: IncomingMessage,
  longestBytes: number,
): ReadableStream<Uint8Array> | null {
  if (answer.statusCode === 204) {
    answer.resume();
    return null;
  }
  const readable = decompressed(answer);
  const chunks: AsyncIterator<Uint8Array, undefined> = readable[Symbol.asyncIterator]();
  let bytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        bytes += value?.length ?? 0;
        if (done === true) controller.close();
        else if (bytes <= longestBytes) controller.enqueue(value);
        else {
          answer.destroy();
          throw endless(longestBytes);
        }
      },
      cancel() {
        answer.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

const endless = (longestBytes: number): UnusableAnswer =>
  new UnusableAnswer(
    `The answer is longer than ${longestBytes / 1024 ** 2} MB, and has no end. ${ANYWAY}`,
    null,
    false,
  );

/** We ask for none, and some gateways compress all the same. */
function decompressed(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  const decoder = DECODERS.get(encoding.toLowerCase())?.();
  if (decoder === undefined) return answer;
  answer.once('error', (error) => decoder.destroy(error));
  return answer.pipe(decoder);
}

const DECODERS: ReadonlyMap<string, () => ReturnType<typeof createGunzip>> = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
