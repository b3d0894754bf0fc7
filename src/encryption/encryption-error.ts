/** What was encrypted cannot be read. `message` names the key and the cure, and never holds key or content. */
export class EncryptionError extends Error {
  override readonly name = 'EncryptionError';

  constructor(
    /** `key_missing`: this process has no key of that id. `damaged`: the key does not fit, the bytes were changed, or
     *  they belong elsewhere. */
    readonly code: 'key_missing' | 'damaged',
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}
