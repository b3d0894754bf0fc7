import { WorkflowNotFoundError, type Client } from '@temporalio/client';

/** Whether the Workflow's newest run goes on; false also if there is none any more. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
