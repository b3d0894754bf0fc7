/** A store refused or failed. `message` names what failed, the value seen, and the cure. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

export type StoreErrorCode =
  | 'session_exists'
  | 'lease_held'
  | 'lease_stale'
  | 'record_missing'
  | 'record_exists'
  | 'intent_exists'
  | 'damaged'
  | 'no_space'
  | 'io';
