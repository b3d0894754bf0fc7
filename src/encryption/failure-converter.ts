import { DefaultFailureConverter } from '@temporalio/common';

/** Messages and stack traces of failures become payloads, so that the codec encrypts them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
