import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { CliError } from '../cli-error';

/** The server asks for a Worker for 10 s, and a Worker may have to start. */
const ANSWER_WITHIN_MS = 30_000;

/** Asks the Workflows of a session, which answer only while a Worker serves them.
 *  Fails: CliError when nobody answers, a query has ended, or it refuses. */
export async function answered<T>(sessionId: string, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(nobodyServes(sessionId)), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    if (error instanceof ApplicationFailure) throw new CliError(error.message);
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(
      `The query has ended meanwhile, so nothing waits any more. What it did: everloop attach ${sessionId}`,
    );
  } finally {
    clearTimeout(timer);
  }
}

const nobodyServes = (sessionId: string): CliError =>
  new CliError(
    `Nobody answers for session ${sessionId}: no Worker serves it. Serve it, with everloop attach ${sessionId} or everloop worker, and try again; that is safe.`,
  );
