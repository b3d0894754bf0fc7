import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';

/** Every timeout and retry policy, in one place.
 *  - Attempts have no limit: Activities decide themselves what is final, and a lost Worker must not use up tries.
 *  - Cancellation waits for the Activity, so that what it has is kept. Unset would behave as TRY_CANCEL.
 *  - The first retry delay is short because a lost Worker is the usual cause; API failures bring their own delay. */
const base = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '10s' },
} satisfies ActivityOptions;

/** Of what runs in a workspace: a Worker that finds the session served on another of its hosts says so, and the
 *  Workflow takes the Activity there. Workflows of older builds do not name it, and have it tried again. */
export const ON_ANOTHER_HOST = 'Session.OnAnotherHost';
export const PLACED = {
  retry: { ...base.retry, nonRetryableErrorTypes: [ON_ANOTHER_HOST] },
} satisfies ActivityOptions;

export const CALL_MODEL: ActivityOptions = { ...base, startToCloseTimeout: '1h' };
/** Tools bring their own limits; this one only ends what has none. */
export const RUN_TOOL: ActivityOptions = { ...base, startToCloseTimeout: '30 days' };
export const COMPACT: ActivityOptions = { ...base, startToCloseTimeout: '1h' };
export const DRAIN: ActivityOptions = { ...base, startToCloseTimeout: '10m' };
/** Each hook has its own limit. */
export const RUN_HOOKS: ActivityOptions = { ...base, startToCloseTimeout: '2h' };
/** What a hook of the agent's waits for is its own affair. */
export const END_TURN: ActivityOptions = { ...base, startToCloseTimeout: '2h' };
/** A label that is late or lost is no label. */
export const SUMMARIZE: ActivityOptions = {
  ...base,
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 1 },
};
/** Where nobody may serve the session, its shells cannot be reached either: a stop does not wait for that. */
export const END_SHELLS: ActivityOptions = { ...base, scheduleToCloseTimeout: '1m' };
export const BEGIN_TASK: ActivityOptions = { ...base, startToCloseTimeout: '10m' };
export const REPORT_TASK: ActivityOptions = { ...base, startToCloseTimeout: '10m' };
export const VERIFY_APPROVAL: ActivityOptions = { ...base, startToCloseTimeout: '10m' };
/** Somebody sits there and waits. */
export const LOOK_AT_FOLDER: ActivityOptions = {
  scheduleToCloseTimeout: '10s',
  startToCloseTimeout: '5s',
};
export const FINISH_QUERY: ActivityOptions = { ...base, startToCloseTimeout: '10m' };
