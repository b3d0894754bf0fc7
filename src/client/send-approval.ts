import { WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { betweenFailpoints } from '../failpoint/failpoint';
import type { ApprovalInput, ApprovalKind, ApprovalReceipt } from '../workflows/approval';
import { persist } from './persist';

/** Decides calls of a query that wait. Safe to repeat: what was decided before is told, not changed.
 *  Fails: `ApplicationFailure` of type `Approval.*`, when the query refuses; nothing is decided then. */
export async function sendApproval(
  client: Client,
  queryId: string,
  { kind, input }: { readonly kind: ApprovalKind; readonly input: ApprovalInput },
): Promise<ApprovalReceipt> {
  const handle = client.workflow.getHandle(queryId);
  try {
    return await betweenFailpoints(`rpc.${kind}`, () =>
      persist(() =>
        handle.executeUpdate<ApprovalReceipt, [ApprovalInput]>(kind, { args: [input] }),
      ),
    );
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw error.cause instanceof ApplicationFailure ? error.cause : error;
  }
}
