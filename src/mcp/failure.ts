/** A server could not be reached, or not as we are. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';

  constructor(
    readonly status: 'failed' | 'needs-auth',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A request came to nothing. `not_sent`: the server never did anything with it. `lost`: it may have done it all;
 *  `late`: that, and it may still be at it. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(
    readonly type: 'answered' | 'not_sent' | 'lost' | 'late',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
