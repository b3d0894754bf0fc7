/** Workflow ids carry what every Activity needs to know, so that no input has to repeat it.
 *  session: `<place>-<session id>`; query: `<place>-<session id>-<id of the message it answers>`.
 *  `place` is 8 hex digits that name the transcript store, a session id is a uuid. */
export interface QueryName {
  readonly place: string;
  readonly sessionId: string;
  readonly promptId: string;
}

const PLACE_CHARS = 8;
const UUID_CHARS = 36;
const SESSION_END = PLACE_CHARS + 1 + UUID_CHARS;

export function queryWorkflowId(sessionWorkflowId: string, promptId: string): string {
  return `${sessionWorkflowId}-${promptId}`;
}

export function sessionIdOf(workflowId: string): string {
  return workflowId.slice(PLACE_CHARS + 1, SESSION_END);
}

export function fromQueryWorkflowId(workflowId: string): QueryName {
  return {
    place: workflowId.slice(0, PLACE_CHARS),
    sessionId: sessionIdOf(workflowId),
    promptId: workflowId.slice(SESSION_END + 1),
  };
}

/** Of the session that a query, or the session itself, belongs to. */
export function sessionWorkflowIdOf(workflowId: string): string {
  return workflowId.slice(0, SESSION_END);
}
