import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { missingKey, type KeyRing } from './key-ring';

/** Of an encrypted payload, as its metadata names it. Who has no codec says so: "Unknown encoding: binary/everloop". */
export const ENCODING = 'binary/everloop';

/** Not bound to its Workflow: the UI asks a codec server about payloads without saying whose they are. */
const BELONGS_TO = 'payload';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** Encrypts what passes Temporal. What is not encrypted passes as it is, so that encryption can be turned on while
 *  sessions run. `ring` null: nothing is encrypted, and what is encrypted is refused with the cure. (Left to the
 *  sandbox, such a payload ends the Worker at the next query: the SDK answers it and fails the task at once.)
 *  Shape: metadata `encoding` and `key-id`; data is the sealed payload, metadata and all.
 *  Fails: EncryptionError, when a payload needs a key that is not there, or was changed. */
export function createPayloadCodec(ring: KeyRing | null): PayloadCodec {
  return {
    encode: (payloads) =>
      settled(() => (ring === null ? payloads : payloads.map((payload) => seal(ring, payload)))),
    decode: (payloads) =>
      settled(() => payloads.map((payload) => (isSealed(payload) ? open(ring, payload) : payload))),
  };
}

/** Id of the key that a payload needs; undefined: it is not encrypted, or not by us. */
export function keyIdOf(payload: Payload): string | undefined {
  return isSealed(payload) ? textOf(payload.metadata?.['key-id']) : undefined;
}

function isSealed({ metadata }: Payload): boolean {
  const encoding = metadata?.['encoding'];
  return encoding?.length === ENCODING.length && textOf(encoding) === ENCODING;
}

function seal(ring: KeyRing, payload: Payload): Payload {
  const { keyId, bytes } = ring.seal(PayloadMessage.encode(payload).finish(), BELONGS_TO);
  return {
    metadata: { encoding: Buffer.from(ENCODING), 'key-id': Buffer.from(keyId) },
    data: bytes,
  };
}

function open(ring: KeyRing | null, payload: Payload): Payload {
  const keyId = keyIdOf(payload) ?? '';
  if (ring === null) throw missingKey(keyId, []);
  const sealed = { keyId, bytes: payload.data ?? new Uint8Array() };
  const clear = ring.open(sealed, BELONGS_TO);
  const { metadata, data } = PayloadMessage.decode(clear);
  return { metadata, data };
}

const textOf = (bytes: Uint8Array | null | undefined): string =>
  Buffer.from(bytes ?? []).toString('utf8');

/** The SDK expects a promise, and a failure as its rejection. */
async function settled<T>(make: () => T): Promise<T> {
  return make();
}
