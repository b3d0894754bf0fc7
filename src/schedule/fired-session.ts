import { uuidOf } from '../activities/uuid-of';

/** Id of the session that a firing begins, by the run that the schedule started: whoever tries again finds it, and
 *  whoever looks at the schedule can name it. */
export const firedSessionId = (runId: string): string => uuidOf(`session of firing ${runId}`);

/** Id of its prompt. */
export const firedMessageId = (runId: string): string => uuidOf(`prompt of firing ${runId}`);
