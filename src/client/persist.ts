import { setTimeout as pause } from 'node:timers/promises';
import { rpcErrorOf } from './rpc-error';
import { isServerAway } from './server-away';

const TRY_AGAIN_MS = 1_000;
/** A Workflow whose code fails does so until another build runs it: somebody should be told by then. */
const MOST_TRIES = 60;

/** Calls until somebody has heard it. Waits for a server that is away as long as that takes, and for a Workflow that
 *  accepts nothing because its tasks died with their Workers, several in a row.
 *  Fails: for any other reason, at once. The call must be safe to repeat. */
export async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES; ;) {
    try {
      return await call();
    } catch (error) {
      if (isTaskFailing(error)) left -= 1;
      else if (!isServerAway(error)) throw error;
      if (left === 0) throw error;
      await pause(TRY_AGAIN_MS);
    }
  }
}

/** The server says so after three tasks in a row that failed or timed out. Its code has many other meanings. */
function isTaskFailing(error: unknown): boolean {
  const cause = rpcErrorOf(error);
  return cause instanceof Error && cause.message.includes('Workflow Task in failed state');
}
