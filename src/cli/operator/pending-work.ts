import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

/** An Activity that the server knows to be unfinished. */
export interface PendingWork {
  readonly activity: string;
  /** `waits`: for a Worker, or for its next attempt. */
  readonly state: 'runs' | 'waits';
  readonly attempt: number;
  /** What it told with its last heartbeat; null: nothing. */
  readonly doing: string | null;
  readonly elapsedSeconds: number | null;
  /** Why the attempt before failed; null: there was none, or it did not. */
  readonly lastFailure: string | null;
}

const STARTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

export function pendingWork({ raw }: WorkflowExecutionDescription): readonly PendingWork[] {
  return (raw.pendingActivities ?? []).map(
    ({ activityType, state, attempt, lastFailure, heartbeatDetails }) => ({
      activity: activityType?.name ?? '',
      state: state === STARTED ? 'runs' : 'waits',
      attempt: attempt ?? 1,
      ...fromHeartbeat(heartbeatDetails?.payloads?.[0]),
      lastFailure: lastFailure?.message ?? null,
    }),
  );
}

function fromHeartbeat(
  payload: temporal.api.common.v1.IPayload | undefined,
): Pick<PendingWork, 'doing' | 'elapsedSeconds'> {
  const details: unknown =
    payload === undefined ? null : defaultPayloadConverter.fromPayload(payload);
  const fields = typeof details === 'object' && details !== null ? details : {};
  const { doing = null, elapsedSeconds = null } = fields as Readonly<Record<string, unknown>>;
  return {
    doing: typeof doing === 'string' ? doing : null,
    elapsedSeconds: typeof elapsedSeconds === 'number' ? elapsedSeconds : null,
  };
}
