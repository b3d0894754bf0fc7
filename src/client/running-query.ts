import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { SessionStatus } from '../workflows/interface';

const LOOK_AGAIN_MS = 20;
const THERE_WITHIN_MS = 5_000;

/** Asks the query that a session runs. A session names its query a moment before the server has made it, and for a
 *  moment after its end: the session is looked at again then. 'none': none runs. 'ended': the one that ran has ended.
 *  Fails: WorkflowNotFoundError when a query is named for 5 s and is not there. */
export async function askRunningQuery<Answer>(
  client: Client,
  look: () => Promise<SessionStatus | undefined>,
  ask: (query: WorkflowHandle) => Promise<Answer>,
): Promise<Answer | 'none' | 'ended'> {
  let missed: string | undefined;
  for (const deadline = Date.now() + THERE_WITHIN_MS; ;) {
    const named = (await look())?.activeQuery?.workflowId;
    if (missed !== undefined && named !== missed) return 'ended';
    if (named === undefined) return 'none';
    try {
      return await ask(client.workflow.getHandle(named));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) || Date.now() > deadline) throw error;
    }
    missed = named;
    await delay(LOOK_AGAIN_MS);
  }
}
