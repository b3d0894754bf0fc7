import type {
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';

/** Hands `send` the request as JSON in UTF-8, the same bytes that `JSON.stringify` would give, and with half characters
 *  mended. The bytes are good until it settles: what a context has grown to is not written anew for each request, and
 *  leaves no garbage behind. */
export async function withRequestBody<T>(
  request: MessageCreateParamsStreaming,
  send: (body: Uint8Array) => Promise<T>,
): Promise<T> {
  const parts = [...partsOf(request)];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const buffer = takeBuffer(length);
  try {
    let end = 0;
    for (const part of parts) end += part.copy(buffer, end);
    return await send(buffer.subarray(0, length));
  } finally {
    giveBack(buffer);
  }
}

function* partsOf(request: MessageCreateParamsStreaming): Generator<Buffer> {
  let opening = '{';
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined) continue;
    const label = `${opening}${JSON.stringify(name)}:`;
    opening = ',';
    if (name !== 'messages') yield toBytes(`${label}${JSON.stringify(value)}`);
    else {
      yield Buffer.from(label);
      yield* listOf(request.messages, messageParts);
    }
  }
  yield END_OF_OBJECT;
}

function* messageParts(message: MessageParam): Generator<Buffer> {
  const { role, content } = message;
  if (typeof content === 'string') yield toBytes(JSON.stringify(message));
  else {
    yield Buffer.from(`{"role":"${role}","content":`);
    yield* listOf(content, blockParts);
    yield END_OF_OBJECT;
  }
}

/** Blocks are the parts that stay from one request to the next. */
function* blockParts(block: object): Generator<Buffer> {
  const bytes = written.get(block) ?? toBytes(JSON.stringify(block));
  written.set(block, bytes);
  yield bytes;
}

const written = new WeakMap<object, Buffer>();

function* listOf<Item>(
  items: readonly Item[],
  partsOfItem: (item: Item) => Generator<Buffer>,
): Generator<Buffer> {
  yield LIST;
  for (const [index, item] of items.entries()) {
    if (index > 0) yield COMMA;
    yield* partsOfItem(item);
  }
  yield END_OF_LIST;
}

const [LIST, COMMA, END_OF_LIST, END_OF_OBJECT] = ['[', ',', ']', '}'].map((sign) =>
  Buffer.from(sign),
) as [Buffer, Buffer, Buffer, Buffer];

const toBytes = (json: string): Buffer => Buffer.from(wellFormed(json));

/** Half a character, left by a cut in some text, is written as an escape by JSON, and the API refuses the whole
 *  request for it, every time. */
export function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) =>
    found === '\\\\' ? found : '\\ufffd',
  );
}

/** Requests at the same time that each find a buffer waiting. */
const MOST_KEPT = 4;
const GROWTH = 256 * 1024;
const buffers: Buffer[] = [];

function takeBuffer(length: number): Buffer {
  const buffer = buffers.pop();
  if (buffer !== undefined && buffer.length >= length) return buffer;
  return Buffer.allocUnsafeSlow(Math.ceil(length / GROWTH) * GROWTH);
}

function giveBack(buffer: Buffer): void {
  if (buffers.length < MOST_KEPT) buffers.push(buffer);
}
