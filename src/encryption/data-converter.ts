import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec } from './payload-codec';

/** Loaded by the SDK, and by whoever bundles Workflows for it. */
export const FAILURE_CONVERTER = require.resolve('./failure-converter');

/** For every Client and Worker of a process. `ring` null: nothing is encrypted. `base`: what a user's own does first. */
export function encryptedConverter(ring: KeyRing | null, base: DataConverter = {}): DataConverter {
  const { payloadCodecs = [] } = base;
  return {
    ...(ring !== null && { failureConverterPath: FAILURE_CONVERTER }),
    ...base,
    payloadCodecs: [...payloadCodecs, createPayloadCodec(ring)],
  };
}
