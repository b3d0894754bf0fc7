import type { Client } from '@temporalio/client';
import { fromQueryWorkflowId } from '../loop/workflow-id';
import { storeHash } from '../transcript/place';

/** Sessions of a store that have an open Workflow, each with the prompts of its running queries. One request to the
 *  server, however many sessions there were; it may be a moment behind. */
export async function listOpenSessions(
  client: Client,
  place: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = `WorkflowId STARTS_WITH '${storeHash(place)}-' AND ExecutionStatus = 'Running'`;
  const open = new Map<string, readonly string[]>();
  for await (const { workflowId, type } of client.workflow.list({ query })) {
    const { sessionId, promptId } = fromQueryWorkflowId(workflowId);
    const running = open.get(sessionId) ?? [];
    open.set(sessionId, type === 'query' ? [...running, promptId] : running);
  }
  return open;
}
