import type { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** What the server answered, with payloads as they were before the client's codecs and the texts of failures in their
 *  places. Changes the answer itself. What cannot be decrypted stays as it is. */
export async function decrypted<Answer extends object>(
  client: Client,
  answer: Answer,
): Promise<Answer> {
  const { payloadCodecs } = client.options.loadedDataConverter;
  if (payloadCodecs.length > 0) await decrypt(answer, payloadCodecs);
  return answer;
}

type Fields = Record<string, unknown>;

async function decrypt(value: unknown, codecs: readonly PayloadCodec[]): Promise<void> {
  if (!isObject(value)) return;
  if (isPayload(value)) return decode(value, codecs);
  for (const part of Object.values(value)) await decrypt(part, codecs);
  const { encodedAttributes } = value;
  if (isObject(encodedAttributes) && isPayload(encodedAttributes)) {
    Object.assign(value, textsOf(encodedAttributes));
  }
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
