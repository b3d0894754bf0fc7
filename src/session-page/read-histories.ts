import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { decrypted } from '../client/decrypted';
import { HistoryReader, type HistoryFacts } from './history-facts';
import type { HistoryEvent } from './history-event';

/** Of each query that the server still knows, by its id. Runs that are older than what the server keeps are left out.
 *  Fails: what the client fails with when no server answers. */
export async function readHistories(
  client: Client,
  queryIds: readonly string[],
): Promise<ReadonlyMap<string, HistoryFacts>> {
  const read = new Map<string, HistoryFacts>();
  const waiting = [...queryIds];
  const readOn = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const facts = await readHistory(client, id);
      if (facts !== null) read.set(id, facts);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return read;
}

const AT_ONCE = 4;

async function readHistory(client: Client, workflowId: string): Promise<HistoryFacts | null> {
  const runs = await runsOf(client, workflowId);
  if (runs.length === 0) return null;
  const reader = new HistoryReader();
  for (const events of runs) for (const event of events) reader.add(event);
  return reader.toFacts();
}

/** Events of each run, oldest first. */
async function runsOf(
  client: Client,
  workflowId: string,
): Promise<readonly (readonly HistoryEvent[])[]> {
  const runs: (readonly HistoryEvent[])[] = [];
  let runId: string | undefined;
  do {
    const events = await eventsOf(client, workflowId, runId);
    if (events === null) break;
    runs.unshift(events);
    const begun = events[0]?.workflowExecutionStartedEventAttributes;
    runId = begun?.continuedExecutionRunId ?? undefined;
  } while (runId !== undefined && runId !== '');
  return runs;
}

/** null: the server knows it no more. */
async function eventsOf(
  client: Client,
  workflowId: string,
  runId: string | undefined,
): Promise<readonly HistoryEvent[] | null> {
  try {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    return await decrypted(client, events ?? []);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
