import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** The server answers a long poll with nothing after less than this. */
const POLL_MS = 70_000;
const LOOK_AGAIN_MS = 5;

/** Events of a Workflow as they are written, over all runs of its chain, until the last run has closed or the signal
 *  aborts. Waits for a Workflow that has not started. */
export async function* followHistory(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): AsyncGenerator<HistoryEvent, void> {
  let runId = await firstRunOf(client, workflowId, signal);
  let nextPageToken: Uint8Array = new Uint8Array();
  let last: HistoryEvent | undefined;
  while (!signal.aborted) {
    const page = await nextPage(client, { workflowId, runId }, nextPageToken, signal);
    if (page === null) continue;
    const events = page.history?.events ?? [];
    yield* events;
    // The last page of a run may be empty.
    last = events.at(-1) ?? last;
    nextPageToken = page.nextPageToken;
    if (nextPageToken.length > 0) continue;
    const next = last?.workflowExecutionContinuedAsNewEventAttributes;
    if (next == null) return;
    runId = next.newExecutionRunId ?? '';
  }
}

/** Else the server shows the newest run. Waits for it. */
async function firstRunOf(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): Promise<string> {
  while (!signal.aborted) {
    try {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return raw.workflowExecutionInfo?.firstRunId ?? '';
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await delay(LOOK_AGAIN_MS);
    }
  }
  return '';
}

/** null: there is nothing yet. */
async function nextPage(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  nextPageToken: Uint8Array,
  signal: AbortSignal,
) {
  const { namespace } = client.options;
  const request = { namespace, execution, nextPageToken, waitNewEvent: true };
  try {
    return await client.withAbortSignal(signal, () =>
      client.withDeadline(Date.now() + POLL_MS, () =>
        client.workflowService.getWorkflowExecutionHistory(request),
      ),
    );
  } catch (error) {
    if (signal.aborted) return null;
    if (!isGrpcServiceError(error) || !isNotFound(error.code)) throw error;
    await delay(LOOK_AGAIN_MS);
    return null;
  }
}

const isNotFound = (code: number): boolean => code === 5;

/** Number of events until the end of the chain. */
export async function countEvents(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): Promise<number> {
  const events: HistoryEvent[] = [];
  for await (const event of followHistory(client, workflowId, signal)) events.push(event);
  return events.length;
}

/** Workflow ids of the sub-agents of some queries, as they are started. */
export async function* followSubAgents(
  client: Client,
  queryIds: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for (const queryId of queryIds) {
    for await (const event of followHistory(client, queryId, signal)) {
      const { workflowId } = event.startChildWorkflowExecutionInitiatedEventAttributes ?? {};
      if (workflowId != null) yield workflowId;
    }
  }
}
