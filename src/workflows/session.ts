import {
  ApplicationFailure,
  CancellationScope,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { AbortReason } from '../loop/terminal';
import {
  interrupt,
  queryEnded,
  release,
  sessionStatus,
  steer,
  stopSession,
  submit,
  type SessionInput,
  type SubmitRequest,
} from './interface';
import { query } from './query';
import { SessionState, queryFor } from './session-state';

/** One conversation: takes messages, runs one `query` at a time, ends when nobody needs it.
 *  It holds ids only and loads nothing: what must outlive it lies in the transcript store. */
export async function session(input: SessionInput): Promise<void> {
  let state = input.carry ?? SessionState.initial();
  /** What the running query should hear of: it goes with that query. */
  let untold: readonly string[] = [];
  let interruptBy: AbortReason | null = null;
  let lastActiveAtMs = Date.now();
  let isIdleTooLong = false;
  /** This run did something: a rollover before that would never end. */
  let hasProgressed = false;

  // Before the handlers: a message that starts the session is handled as its handler is set.
  const isRunning = (): boolean => state.activeQuery !== null;
  const setState = (next: SessionState): void => {
    const hasEnded = state.activeQuery !== null && next.activeQuery === null;
    state = next;
    lastActiveAtMs = Date.now();
    hasProgressed = true;
    if (!hasEnded) return;
    untold = [];
    interruptBy = null;
  };
  const stopQuery = (by: AbortReason): void => {
    // A query that is about to start is meant as well; a later one is not.
    if (isRunning() || state.inbox.length > 0) interruptBy = by;
  };
  const stop = (): void => {
    setState(SessionState.stopped(state));
    stopQuery('user');
  };

  setHandler(
    submit,
    (request) => {
      const before = state.inbox.length;
      setState(SessionState.accepted(state, request));
      const isNew = state.inbox.length > before;
      if (isNew && isRunning()) untold = [...untold, request.messageId];
    },
    { validator: refuseBadRequest },
  );
  setHandler(release, () => setState(SessionState.released(state)));
  setHandler(interrupt, stopQuery);
  setHandler(stopSession, stop);
  setHandler(queryEnded, (ended) => setState(SessionState.queryEnded(state, ended)));
  setHandler(sessionStatus, () => ({
    status: state.activeQuery === null ? 'idle' : 'running',
    activeQuery: state.activeQuery,
    waiting: state.inbox.map(({ messageId }) => messageId),
    leaf: state.leaf,
  }));

  const hasMail = (): boolean => isRunning() && (interruptBy !== null || untold.length > 0);
  const mayStart = (): boolean => !isRunning() && state.inbox.length > 0;
  const isDone = (): boolean =>
    !isRunning() && state.inbox.length === 0 && (state.released || state.stopped || isIdleTooLong);
  const isRolloverDue = (): boolean =>
    hasProgressed && workflowInfo().historyLength >= input.rolloverEvents;

  /** One long timer instead of one per message: it is armed again only when it fires too early. */
  const watchIdleness = async (): Promise<void> => {
    for (let waitMs = input.idleMs; waitMs > 0;) {
      await sleep(waitMs);
      const idleForMs = isRunning() ? 0 : Date.now() - lastActiveAtMs;
      waitMs = input.idleMs - idleForMs;
    }
    isIdleTooLong = true;
  };

  const startQuery = async (request: SubmitRequest): Promise<void> => {
    const {
      workflowId,
      promptId,
      input: queryInput,
    } = queryFor(state, request, {
      workflowId: workflowInfo().workflowId,
      input,
    });
    setState(SessionState.queryStarted(state, { workflowId, promptId }));
    untold = state.inbox.map(({ messageId }) => messageId);
    try {
      const child = await startChild(query, {
        workflowId,
        args: [queryInput],
        workflowTaskTimeout: workflowInfo().taskTimeoutMs,
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      });
      const lose = (): void => {
        if (state.activeQuery?.promptId === promptId) setState(SessionState.queryLost(state));
      };
      child.result().then(lose, lose);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      setState(SessionState.queryRepeated(state));
    }
  };

  /** A Signal to a query that has closed fails: what it reported, or its loss, is handled already or now. */
  const tellQuery = async <Args extends unknown[]>(
    signal: SignalDefinition<Args>,
    ...args: Args
  ): Promise<void> => {
    const active = state.activeQuery;
    if (active === null) return;
    try {
      await getExternalWorkflowHandle(active.workflowId).signal(signal, ...args);
    } catch {
      if (state.activeQuery?.promptId === active.promptId) setState(SessionState.queryLost(state));
    }
  };

  const deliverMail = async (): Promise<void> => {
    const [messageIds, by] = [untold, interruptBy];
    untold = [];
    interruptBy = null;
    for (const messageId of messageIds) await tellQuery(steer, messageId);
    if (by !== null) await tellQuery(interrupt, by);
  };

  CancellationScope.current().cancelRequested.catch(stop);

  // Temporal's Cancel is a stop like any other: the session still sees its query to the end.
  return CancellationScope.nonCancellable(async () => {
    void watchIdleness();
    for (;;) {
      await condition(() => hasMail() || mayStart() || isDone() || isRolloverDue());
      const [first] = state.inbox;
      if (hasMail()) await deliverMail();
      else if (!isRunning() && first !== undefined) await startQuery(first);
      else {
        await condition(allHandlersFinished);
        if (isDone()) return;
        if (isRolloverDue() && untold.length === 0 && interruptBy === null) {
          return continueAsNew<typeof session>({ ...input, carry: state });
        }
      }
    }
  });
}

function refuseBadRequest({ messageId }: SubmitRequest): void {
  if (typeof messageId === 'string' && messageId.length > 0 && messageId.length <= 100) return;
  throw ApplicationFailure.nonRetryable(
    `A message needs an id of 1 to 100 characters, got ${JSON.stringify(messageId).slice(0, 120)}.`,
    'Session.BadMessage',
  );
}
