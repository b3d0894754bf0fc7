import type { Client } from '@temporalio/client';
import { storeHash } from '../transcript/place';
import { ATTRIBUTES, toWaitingFor } from '../visibility/search-attributes';

/** Tells the queries that wait for a Worker of the workspace that there is one: they run as soon as it polls, and
 *  only what they show would be late. Never fails: without search attributes nobody can be found, nor is it shown. */
export async function tellParked(
  client: Pick<Client, 'workflow'>,
  { place, workspace }: { readonly place: string; readonly workspace: string },
): Promise<void> {
  const query = [
    `WorkflowId STARTS_WITH '${storeHash(place)}-'`,
    `${ATTRIBUTES.waitingFor.name} = '${toWaitingFor(workspace)}'`,
    `ExecutionStatus = 'Running'`,
  ].join(' AND ');
  try {
    for await (const { workflowId } of client.workflow.list({ query })) {
      await client.workflow.getHandle(workflowId).signal('workspaceServed', workspace);
    }
  } catch {
    return;
  }
}
