import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError, type Payload } from '@temporalio/common';
import { scheduleIdPrefix } from '../../schedule/schedule-id';
import { storeHash } from '../../transcript/place';
import { keyIdOf } from '../../encryption/payload-codec';

/** By the id of a key the number of open Workflows and schedules of a store that need it: their Event Histories are
 *  never written anew. Reads the history of each. Fails: what the client fails with. */
export async function keysInTemporal(
  client: Client,
  place: string,
): Promise<ReadonlyMap<string, number>> {
  const use = new Map<string, number>();
  const count = (answer: unknown): void => {
    for (const keyId of new Set(keyIdsIn(answer))) use.set(keyId, (use.get(keyId) ?? 0) + 1);
  };
  const prefixes = [`${storeHash(place)}-`, scheduleIdPrefix(place)];
  const ofStore = prefixes.map((prefix) => `WorkflowId STARTS_WITH '${prefix}'`).join(' OR ');
  const query = `(${ofStore}) AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    count(await historyOf(client, workflowId, runId));
  }
  for await (const scheduleId of scheduleIds(client, place)) {
    count((await client.schedule.getHandle(scheduleId).describe()).raw);
  }
  return use;
}

/** Writes the schedules of a store anew, so that they need the newest key alone. Returns how many there are. */
export async function rewriteSchedules(client: Client, place: string): Promise<number> {
  let rewritten = 0;
  for await (const scheduleId of scheduleIds(client, place)) {
    await client.schedule.getHandle(scheduleId).update((same) => same);
    rewritten += 1;
  }
  return rewritten;
}

async function* scheduleIds(client: Client, place: string): AsyncGenerator<string, void> {
  const prefix = scheduleIdPrefix(place);
  for await (const { scheduleId } of client.schedule.list()) {
    if (scheduleId.startsWith(prefix)) yield scheduleId;
  }
}

/** undefined: it has gone meanwhile. */
async function historyOf(client: Client, workflowId: string, runId: string): Promise<unknown> {
  try {
    return await client.workflow.getHandle(workflowId, runId).fetchHistory();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function keyIdsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const keyId = 'metadata' in value ? keyIdOf(value as Payload) : undefined;
  return keyId === undefined ? Object.values(value).flatMap(keyIdsIn) : [keyId];
}
