import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec } from './payload-codec';

/** Loaded by the SDK, and by whoever bundles Workflows for it. */
export const FAILURE_CONVERTER = require.resolve('./failure-converter');

/** For every Client and Worker that uses these keys. `base`: what a user's own does first. */
export function encryptedConverter(ring: KeyRing, base: DataConverter = {}): DataConverter {
  const { payloadCodecs = [], failureConverterPath = FAILURE_CONVERTER } = base;
  return {
    ...base,
    failureConverterPath,
    payloadCodecs: [...payloadCodecs, createPayloadCodec(ring)],
  };
}
