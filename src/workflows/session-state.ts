import { queryWorkflowId } from '../loop/workflow-id';
import type {
  ActiveQuery,
  QueryEnded,
  QueryInput,
  SessionCarry,
  SessionInput,
  SubmitRequest,
} from './interface';

/** What a session knows. Replaced by the functions below, never edited; a rollover carries it as it is. */
export type SessionState = Omit<SessionCarry, 'mail'>;

export const SessionState = {
  initial: (): SessionState => ({
    inbox: [],
    activeQuery: null,
    leaf: null,
    released: false,
    stopped: false,
  }),

  /** A message the session knows already changes nothing: clients repeat what they are not sure of. */
  accepted(state: SessionState, request: SubmitRequest): SessionState {
    const known = [state.activeQuery?.promptId, ...state.inbox.map(({ messageId }) => messageId)];
    const inbox = known.includes(request.messageId) ? state.inbox : [...state.inbox, request];
    return { ...state, inbox, released: request.isLast === true };
  },

  queryStarted(state: SessionState, { promptId, workflowId }: ActiveQuery): SessionState {
    const inbox = state.inbox.filter(({ messageId }) => messageId !== promptId);
    return { ...state, inbox, activeQuery: { promptId, workflowId } };
  },

  /** Reports of any other query than the active one are repeats. */
  queryEnded(state: SessionState, ended: QueryEnded): SessionState {
    const { promptId, leaf, consumed, costUsd = 0, autoCompactTracking } = ended;
    if (state.activeQuery?.promptId !== promptId) return state;
    const inbox = state.inbox.filter(({ messageId }) => !consumed.includes(messageId));
    return {
      ...state,
      inbox,
      leaf: leaf ?? state.leaf,
      activeQuery: null,
      costUsd: (state.costUsd ?? 0) + costUsd,
      ...(autoCompactTracking && { autoCompactTracking }),
    };
  },

  /** The active query is gone and did not report: it was terminated. What it wrote before still counts. */
  queryLost: (state: SessionState): SessionState => ({ ...state, activeQuery: null, leaf: null }),

  /** An earlier run of this session answered the message. */
  queryRepeated: (state: SessionState): SessionState => ({ ...state, activeQuery: null }),

  released: (state: SessionState): SessionState => ({ ...state, released: true }),

  stopped: (state: SessionState): SessionState => ({
    ...state,
    inbox: [],
    stopped: true,
    hasShellsToEnd: true,
  }),

  shellsEnded: (state: SessionState): SessionState => ({ ...state, hasShellsToEnd: false }),
};

/** Workflow id and input of the query that answers the message. */
export function queryFor(
  state: SessionState,
  request: SubmitRequest,
  session: { readonly workflowId: string; readonly input: SessionInput },
): ActiveQuery & { readonly input: QueryInput } {
  const { messageId } = request;
  const { autoCompactTracking, costUsd = 0 } = state;
  const { maxBudgetUsd } = request.query;
  return {
    promptId: messageId,
    workflowId: queryWorkflowId(session.workflowId, messageId),
    input: {
      ...request.query,
      messages: { leaf: request.behind ?? state.leaf, pending: [{ type: 'message', messageId }] },
      sessionRunsAs: session.workflowId,
      rolloverEvents: session.input.rolloverEvents,
      ...(autoCompactTracking && { autoCompactTracking }),
      // The limit is the client's, for all its messages together.
      ...(maxBudgetUsd != null && { maxBudgetUsd: maxBudgetUsd - costUsd }),
      carry: null,
    },
  };
}
