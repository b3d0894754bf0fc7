import { executeChild, proxyActivities } from '@temporalio/workflow';
import { runAgent, type AgentAnswer, type QueryWorkflow } from '../../src/workflows/run-agent';
import type { OrderActivities } from './orders';

const { publish } = proxyActivities<OrderActivities>({ startToCloseTimeout: '1m' });

/** Somebody's own Workflow, with an agent as one of its steps. */
export async function order(fruit: string): Promise<AgentAnswer & { readonly published: string }> {
  const answer = await runAgent({ prompt: `How many ${fruit}?`, agent: 'clerk' });
  return { ...answer, published: await publish(answer) };
}

/** The same by the name of the Workflow type alone, as other languages would. */
export async function orderByName(fruit: string): Promise<AgentAnswer> {
  return executeChild<QueryWorkflow>('query', {
    workflowId: `agent-of-${fruit}`,
    args: [{ prompt: `How many ${fruit}?`, agent: 'clerk' }],
  });
}

/** Two questions of one conversation. */
export async function orderTwice(): Promise<readonly AgentAnswer[]> {
  const first = await runAgent({ prompt: 'One?', agent: 'clerk' });
  return [first, await runAgent({ prompt: 'Two?', agent: 'clerk', sessionId: first.sessionId })];
}
