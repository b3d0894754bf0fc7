import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { TranscriptStore } from '../transcript/store';
import type { QueryStatus } from '../workflows/interface';
import { conversationOf } from './conversation-of';
import type { Kill } from './kill';
import type { LeftBehind } from './outcome';
import type { TrialSession } from './trial-session';
import { countEvents, followHistory, followSubAgents } from './workflow-history';

const LOOK_AGAIN_MS = 50;

/** What the Workflows of a run that has ended say of it. */
export interface WorkflowFacts extends Pick<LeftBehind, 'states' | 'conversations'> {
  /** Number of history events by Workflow. */
  readonly events: Readonly<Record<string, number>>;
}

/** Needs a Worker that answers queries. */
export async function lookAt(
  { client, store }: { readonly client: Client; readonly store: TranscriptStore },
  session: TrialSession,
  signal: AbortSignal,
): Promise<WorkflowFacts> {
  const workflows = await namedWorkflows(client, session, signal);
  const facts = await Promise.all(
    workflows
      .filter(({ name }) => name !== 'session')
      .map(async ({ name, workflowId }) => {
        const handle = client.workflow.getHandle(workflowId);
        const [terminal, status, said] = await Promise.all([
          handle.result() as Promise<unknown>,
          statusOf(handle, signal),
          conversationOf(store, session.sessionId, workflowId),
        ]);
        // What waits for the next query may have come a moment before this one's end, or after it.
        const { turn, transition, counters, tally } = status;
        return { name, state: { terminal, turn, transition, counters, tally }, said };
      }),
  );
  const counts = await Promise.all(
    workflows.map(
      async ({ name, workflowId }) =>
        [name, await countEvents(client, workflowId, signal)] as const,
    ),
  );
  return {
    states: Object.fromEntries(facts.map(({ name, state }) => [name, state])),
    conversations: Object.fromEntries(facts.map(({ name, said }) => [name, said])),
    events: Object.fromEntries(counts),
  };
}

type EventKill = Extract<Kill, { type: 'event' }>;

/** Resolves when the event has been written, or never will be. */
export async function untilEvent(
  client: Client,
  session: TrialSession,
  { workflow, number }: EventKill,
  signal: AbortSignal,
): Promise<void> {
  const workflowId = await findWorkflow(client, session, workflow, signal);
  if (workflowId === undefined) return;
  const events = followHistory(client, workflowId, signal);
  for (let left = number; left > 0; left -= 1) await events.next();
}

/** undefined: the run has no such Workflow. */
async function findWorkflow(
  client: Client,
  session: TrialSession,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (name === 'session') return session.workflowId;
  const [kind, number] = name.split('-');
  const index = Number(number) - 1;
  if (kind === 'query') return session.queryIds[index];
  let left = index;
  for await (const workflowId of followSubAgents(client, session.queryIds, signal)) {
    if (left === 0) return workflowId;
    left -= 1;
  }
  return undefined;
}

/** Asked again until a Worker answers: the task may wait for the one that was killed. */
async function statusOf(handle: WorkflowHandle, signal: AbortSignal): Promise<QueryStatus> {
  for (;;) {
    try {
      return await handle.query<QueryStatus>('status');
    } catch (error) {
      if (signal.aborted) throw error;
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
  }
}

/** Every Workflow of a run that has ended. */
async function namedWorkflows(
  client: Client,
  { workflowId, queryIds }: TrialSession,
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly workflowId: string }[]> {
  const agents: string[] = [];
  for await (const agent of followSubAgents(client, queryIds, signal)) agents.push(agent);
  return [
    { name: 'session', workflowId },
    ...queryIds.map((id, index) => ({ name: `query-${index + 1}`, workflowId: id })),
    ...agents.map((id, index) => ({ name: `agent-${index + 1}`, workflowId: id })),
  ];
}
