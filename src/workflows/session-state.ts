import { queryWorkflowId } from '../loop/workflow-id';
import type {
  ActiveQuery,
  Adjustment,
  QueryEnded,
  QueryInput,
  QueryLimits,
  SessionCarry,
  SessionInput,
  SubmitRequest,
  Workspace,
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
    const isKnown = known.includes(request.messageId);
    const inbox = isKnown ? state.inbox : withMessage(state.inbox, request);
    // Who only steers says nothing of what comes after.
    const released = request.priority === undefined ? request.isLast === true : state.released;
    return { ...state, inbox, released };
  },

  /** Without a message that its client has taken back. */
  withdrawn: (state: SessionState, id: string): SessionState => ({
    ...state,
    inbox: state.inbox.filter(({ messageId }) => messageId !== id),
  }),

  queryStarted(state: SessionState, { promptId, workflowId }: ActiveQuery): SessionState {
    const inbox = state.inbox.filter(({ messageId }) => messageId !== promptId);
    return { ...state, inbox, activeQuery: { promptId, workflowId } };
  },

  /** Reports of any other query than the active one are repeats. */
  queryEnded(state: SessionState, ended: QueryEnded): SessionState {
    const { promptId, leaf, consumed, costUsd = 0, autoCompactTracking, hostQueue } = ended;
    if (state.activeQuery?.promptId !== promptId) return state;
    const inbox = state.inbox.filter(({ messageId }) => !consumed.includes(messageId));
    return {
      ...state,
      inbox,
      leaf: leaf ?? state.leaf,
      activeQuery: null,
      costUsd: (state.costUsd ?? 0) + costUsd,
      ...(autoCompactTracking && { autoCompactTracking }),
      ...(hostQueue !== undefined && { hostQueue }),
    };
  },

  /** The active query is gone and did not report: it was terminated. What it wrote before still counts. */
  queryLost: (state: SessionState): SessionState => ({ ...state, activeQuery: null, leaf: null }),

  /** An earlier run of this session answered the message. */
  queryRepeated: (state: SessionState): SessionState => ({ ...state, activeQuery: null }),

  /** `paused`: nothing new begins. */
  held: (state: SessionState, paused: boolean): SessionState => ({ ...state, paused }),

  /** What people changed is for the messages that wait, too. */
  adjusted: (state: SessionState, adjustment: Adjustment): SessionState => ({
    ...state,
    inbox: state.inbox.map((request) => ({ ...request, query: withLimits(request, adjustment) })),
    ...(adjustment.workspace && { workspace: placeOf(adjustment.workspace) }),
  }),

  released: (state: SessionState): SessionState => ({ ...state, released: true }),

  stopped: (state: SessionState): SessionState => ({
    ...state,
    paused: false,
    inbox: [],
    stopped: true,
    hasShellsToEnd: true,
  }),

  shellsEnded: (state: SessionState): SessionState => ({ ...state, hasShellsToEnd: false }),
};

const placeOf = ({ name, taskQueue }: Workspace): Workspace => ({ name, taskQueue });

/** Not where the session was moved away from that host's workspace: the host would still take what comes. */
const withHost = (workspace: Workspace, hostQueue: string | undefined): Workspace =>
  hostQueue?.startsWith(workspace.taskQueue) === true ? { ...workspace, hostQueue } : workspace;

/** Who comes `now` is answered next, after those that came so before. */
function withMessage(
  inbox: readonly SubmitRequest[],
  request: SubmitRequest,
): readonly SubmitRequest[] {
  if (request.priority !== 'now') return [...inbox, request];
  const isUrgent = ({ priority }: SubmitRequest): boolean => priority === 'now';
  const others = inbox.filter((one) => !isUrgent(one));
  return [...inbox.filter(isUrgent), request, ...others];
}

function withLimits({ query }: SubmitRequest, adjustment: Adjustment): QueryLimits {
  const { model, permissionMode, maxTurns, maxTokens, maxBudgetUsd, maxMs } = adjustment;
  const toolUseContext = {
    ...query.toolUseContext,
    ...(model !== undefined && { model }),
    ...(permissionMode !== undefined && { permissionMode }),
  };
  return {
    ...query,
    toolUseContext,
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(maxMs !== undefined && { maxMs }),
  };
}

/** What the query is told beside the id: nothing where it is as usual. */
export function priorityOf({ inbox }: SessionState, messageId: string): [] | ['later'] {
  const request = inbox.find((one) => one.messageId === messageId);
  return request?.priority === 'later' ? ['later'] : [];
}

/** Told of a session, a money limit is for all its queries together. */
export function forQuery({ costUsd = 0 }: SessionState, adjustment: Adjustment): Adjustment {
  const { maxBudgetUsd } = adjustment;
  return maxBudgetUsd == null
    ? adjustment
    : { ...adjustment, maxBudgetUsd: maxBudgetUsd - costUsd };
}

/** Workflow id and input of the query that answers the message. */
export function queryFor(
  state: SessionState,
  request: SubmitRequest,
  session: { readonly workflowId: string; readonly input: SessionInput },
): ActiveQuery & { readonly input: QueryInput } {
  const { messageId } = request;
  const {
    autoCompactTracking,
    costUsd = 0,
    workspace = session.input.workspace,
    hostQueue,
  } = state;
  const { maxBudgetUsd } = request.query;
  return {
    promptId: messageId,
    workflowId: queryWorkflowId(session.workflowId, messageId),
    input: {
      ...request.query,
      messages: { leaf: request.behind ?? state.leaf, pending: [{ type: 'message', messageId }] },
      sessionRunsAs: session.workflowId,
      rolloverEvents: session.input.rolloverEvents,
      ...(workspace && { workspace: withHost(workspace, hostQueue) }),
      ...(autoCompactTracking && { autoCompactTracking }),
      // The limit is the client's, for all its messages together.
      ...(maxBudgetUsd != null && { maxBudgetUsd: maxBudgetUsd - costUsd }),
      carry: null,
    },
  };
}
