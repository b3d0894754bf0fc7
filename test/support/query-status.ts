import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { isServerAway } from '../../src/client/server-away';
import { queryStatus, type QueryStatus } from '../../src/workflows/interface';

const LOOK_AGAIN_MS = 25;

/** The status of a query as soon as it fits; it need not have begun, and
 *  its Worker may be busy. The test's own time limit is the deadline. */
export async function whenStatus(
  query: WorkflowHandle,
  fits: (status: QueryStatus) => boolean,
): Promise<QueryStatus> {
  for (;;) {
    const status = await query.query(queryStatus).catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError || isServerAway(error)) return undefined;
      throw error;
    });
    if (status !== undefined && fits(status)) return status;
    await pause(LOOK_AGAIN_MS);
  }
}

export const waitsFor =
  (wanted: QueryStatus['waitingFor']) =>
  ({ waitingFor }: QueryStatus): boolean =>
    waitingFor === wanted;
