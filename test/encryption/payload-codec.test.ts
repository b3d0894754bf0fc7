import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { failureConverter } from '../../src/encryption/failure-converter';
import { KeyRing, missingKey } from '../../src/encryption/key-ring';
import { createPayloadCodec, keyIdOf } from '../../src/encryption/payload-codec';
import { encodeFailures } from '../../src/encryption/workflow-failures';
import { cutLine } from '../../src/redact/preview';

const codecOf = (id: string) => createPayloadCodec(new KeyRing(parseKeys(newKeyLine(id), 'KEYS')));
const toPayload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

test('payloads come back as they were, metadata and all', async () => {
  const codec = codecOf('a');
  const payloads = [
    toPayload({ text: 'secret' }),
    toPayload(undefined),
    toPayload(new Uint8Array(3)),
  ];

  const encoded = await codec.encode(payloads);
  const decoded = await codec.decode(encoded);

  expect(encoded.map(keyIdOf)).toEqual(['a', 'a', 'a']);
  expect(Buffer.concat(encoded.map(({ data }) => Buffer.from(data ?? []))).includes('secret')).toBe(
    false,
  );
  expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual([
    { text: 'secret' },
    undefined,
    new Uint8Array(3),
  ]);
});

test('what was written without encryption passes', async () => {
  const clear = toPayload('from before');

  expect(await codecOf('a').decode([clear])).toEqual([clear]);
});

test('a payload of another key fails with its id and the cure', async () => {
  const encoded = await codecOf('theirs').encode([toPayload(1)]);

  await expect(codecOf('ours').decode(encoded)).rejects.toThrow(/key "theirs".*Add that key/);
});

test('without keys nothing changes, and what is encrypted is refused with the cure', async () => {
  const off = createPayloadCodec(null);
  const clear = [toPayload('text')];
  const encoded = await codecOf('a').encode(clear);

  expect(await off.encode(clear)).toBe(clear);
  expect(await off.decode(clear)).toEqual(clear);
  await expect(off.decode(encoded)).rejects.toThrow(/key "a", and this process has no keys/);
});

test('without a codec the SDK names the encoding', async () => {
  const [encoded] = await codecOf('a').encode([toPayload(1)]);

  expect(() => defaultPayloadConverter.fromPayload(encoded as Payload)).toThrow(
    'Unknown encoding: binary/everloop',
  );
});

test.each(['a', 'é', '漢', '😀', '"', '\u0001'])(
  'the longest summary made of %j fits into the 400 bytes of a server when encrypted',
  async (character) => {
    const summary = toPayload(cutLine(character.repeat(500)));

    const [encoded] = await codecOf('x'.repeat(24)).encode([summary]);

    expect(sizeOf(encoded as Payload)).toBeLessThanOrEqual(400);
  },
);

test('failures that leave a Workflow hold no text, and are encoded once', () => {
  const activity = {
    message: 'Encoded failure',
    encodedAttributes: toPayload({ message: 'inner' }),
  };
  const failure = { message: 'told by the model', stackTrace: 'at x', cause: activity };

  const completion = encodeFailures({
    successful: { commands: [{ failWorkflowExecution: { failure } }] },
  });

  expect(JSON.stringify(completion)).not.toContain('told by the model');
  expect(defaultPayloadConverter.fromPayload(encodedOf(failure))).toEqual({
    message: 'told by the model',
    stack_trace: 'at x',
  });
  expect(defaultPayloadConverter.fromPayload(encodedOf(activity))).toEqual({ message: 'inner' });
});

test('a failure for lack of a key is readable without one; others are not', () => {
  const lack = missingKey('theirs', ['ours']);
  const wrapped = ApplicationFailure.fromError(lack, { message: `Activity 1: ${lack.message}` });
  const convert = (error: Error) => failureConverter.errorToFailure(error, defaultPayloadConverter);

  expect(convert(lack).message).toContain('key "theirs"');
  expect(convert(wrapped).message).toContain('key "theirs"');
  expect(convert(new Error('content')).message).toBe('Encoded failure');
});

const sizeOf = (payload: Payload): number =>
  temporal.api.common.v1.Payload.encode(payload).finish().length;

const encodedOf = (failure: temporal.api.failure.v1.IFailure): Payload =>
  failure.encodedAttributes ?? {};
