import { ServiceError } from '@temporalio/client';

/** What the server, or the way to it, said. The SDK wraps it or throws it as it is, and what a native connection throws
 *  passes for the wrapper. */
export const rpcErrorOf = (error: unknown): unknown =>
  error instanceof ServiceError ? (error.cause ?? error) : error;
