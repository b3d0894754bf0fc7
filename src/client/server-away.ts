import { rpcErrorOf } from './rpc-error';

/** gRPC codes of a server that cannot be reached now; 1 is what our own deadline comes to. */
const AWAY = [1, 4, 14];

/** Whether a call failed because no server answers: it may be back in a moment. */
export function isServerAway(error: unknown): boolean {
  const cause = rpcErrorOf(error);
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return typeof cause.code === 'number' && AWAY.includes(cause.code);
}
