import { DefaultFailureConverter } from '@temporalio/common';

/** Messages and stack traces of failures become payloads, so that the codec encrypts them. What says which key is
 *  missing stays as it is: it holds no content, and is for those who do not share a key with this process. */
class EncryptedFailures extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  override errorToFailure(
    ...parameters: Parameters<DefaultFailureConverter['errorToFailure']>
  ): ReturnType<DefaultFailureConverter['errorToFailure']> {
    return isLackOfKey(parameters[0])
      ? this.errorToFailureInner(...parameters)
      : super.errorToFailure(...parameters);
  }
}

/** By name: the SDK wraps it, and loads this file as a module of its own. */
function isLackOfKey(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return [error.name, (error as { readonly type?: unknown }).type].includes('EncryptionError');
}

export const failureConverter = new EncryptedFailures();
