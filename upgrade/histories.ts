import { temporal } from '@temporalio/proto';
import { PATCH } from './builds';
import type { PlayedSession } from './played-session';
import type { World } from './world';

type Event = temporal.api.history.v1.IHistoryEvent;

/** What Temporal recorded of a session: all runs of its Workflows. */
export interface Recorded {
  readonly runs: number;
  /** Runs that ended as none should. */
  readonly failedRuns: readonly string[];
  /** Workflow Tasks that failed, with their causes. A command that came too late for a Signal is no failure. */
  readonly failedTasks: readonly string[];
  /** Tasks that a Worker took and did not finish. */
  readonly timedOutTasks: number;
  /** Of the query of the last prompt. */
  readonly isLastOnNext: boolean;
}

const { EventType, WorkflowTaskFailedCause } = temporal.api.enums.v1;
const SOUND = ['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW'];
const BECAUSE_OF_SIGNAL = WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND;

/** `nextBuildId`: of the deployment; null: the next build is known by its marker. */
export async function recordedOf(
  world: World,
  session: PlayedSession,
  { lastPrompt, nextBuildId }: { readonly lastPrompt: string; readonly nextBuildId: string | null },
): Promise<Recorded> {
  const failedRuns: string[] = [];
  const failedTasks: string[] = [];
  let [runs, timedOutTasks, isLastOnNext] = [0, 0, false];
  const query = `WorkflowId STARTS_WITH '${session.workflowId}'`;
  for await (const { workflowId, runId, status } of world.client.workflow.list({ query })) {
    const { events } = await world.client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs += 1;
    if (!SOUND.includes(status.name)) failedRuns.push(`${workflowId} is ${status.name}`);
    for (const event of events ?? []) {
      const { workflowTaskFailedEventAttributes: failed } = event;
      if (failed != null && failed.cause !== BECAUSE_OF_SIGNAL) {
        failedTasks.push(`${workflowId}: ${failed.failure?.message ?? String(failed.cause)}`);
      }
      if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT) timedOutTasks += 1;
    }
    if (workflowId === `${session.workflowId}-${lastPrompt}`) {
      isLastOnNext = (events ?? []).some((event) => isOfNext(event, nextBuildId));
    }
  }
  return { runs, failedRuns, failedTasks, timedOutTasks, isLastOnNext };
}

function isOfNext(event: Event, nextBuildId: string | null): boolean {
  const { workflowTaskCompletedEventAttributes: task, markerRecordedEventAttributes: marker } =
    event;
  if (nextBuildId !== null) return task?.deploymentVersion?.buildId === nextBuildId;
  const named = marker?.details?.['patch-data']?.payloads?.[0]?.data ?? new Uint8Array();
  return Buffer.from(named).toString().includes(PATCH);
}
