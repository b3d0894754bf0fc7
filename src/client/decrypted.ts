import type { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** What the server answered, with payloads as they were before the client's codecs and the texts of failures in their
 *  places. Changes the answer itself. What cannot be decrypted stays as it is. */
export async function decrypted<Answer extends object>(
  client: Client,
  answer: Answer,
): Promise<Answer> {
  const { payloadCodecs } = client.options.loadedDataConverter;
  const parts = [...partsOf(answer)];
  await Promise.all(parts.filter(isPayload).map((payload) => decode(payload, payloadCodecs)));
  for (const part of parts) {
    const { encodedAttributes } = part;
    if (isObject(encodedAttributes) && isPayload(encodedAttributes)) {
      Object.assign(part, textsOf(encodedAttributes));
    }
  }
  return answer;
}

type Fields = Record<string, unknown>;

/** Every object in it, payloads as a whole. */
function* partsOf(value: unknown): Generator<Fields, void> {
  if (!isObject(value)) return;
  yield value;
  if (isPayload(value)) return;
  for (const part of Object.values(value)) yield* partsOf(part);
}

async function decode(payload: Payload, codecs: readonly PayloadCodec[]): Promise<void> {
  try {
    let decoded = [payload];
    for (const codec of [...codecs].reverse()) decoded = await codec.decode(decoded);
    Object.assign(payload, decoded[0]);
  } catch {
    // Whoever shows it shows that it is encrypted.
  }
}

/** As failure converters write them; nothing, if it is still encrypted. */
function textsOf({ data }: Payload): Fields {
  try {
    const { message, stack_trace: stackTrace } = JSON.parse(Buffer.from(data ?? []).toString()) as {
      readonly message?: unknown;
      readonly stack_trace?: unknown;
    };
    return {
      ...(typeof message === 'string' && { message }),
      ...(typeof stackTrace === 'string' && { stackTrace }),
    };
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);

const isPayload = (value: Fields): value is Fields & Payload =>
  isObject(value['metadata']) && ArrayBuffer.isView(value['metadata']['encoding']);
