import {
  CancellationScope,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Activities } from '../activities/interface';
import type { AbortReason } from '../loop/terminal';
import { END_SHELLS } from './activity-options';
import { adjusted, refuseAdjustment, refuseMove } from './adjustment';
import {
  adjust,
  change,
  interrupt,
  pause,
  queryEnded,
  release,
  resume,
  sessionStatus,
  steer,
  stopSession,
  submit,
  withdraw,
  type Adjustment,
  type SessionCarry,
  type SessionInput,
  type SessionMail,
  type SubmitRequest,
} from './interface';
import { query } from './query';
import { nothingRuns, refuseRequest } from './refuse-request';
import { queryLabels } from './query-labels';
import { displaySession } from './session-display';
import { SessionState, forQuery, priorityOf, queryFor } from './session-state';

const activities = proxyActivities<Activities>(END_SHELLS);

/** One conversation: takes messages, runs one `query` at a time, ends when nobody needs it.
 *  It holds ids only and loads nothing: what must outlive it lies in the transcript store. */
export async function session(input: SessionInput): Promise<void> {
  const { mail, ...carried }: SessionCarry = input.carry ?? SessionState.initial();
  let state: SessionState = carried;
  /** What the running query should hear of: it goes with that query. */
  let { untold, interruptBy, adjustment = null }: Mail = mail ?? NO_MAIL;
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
    adjustment = null;
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
      if (!isNew || !isRunning()) return;
      if (request.priority === 'now') interruptBy ??= 'new_message';
      else untold = [...untold, ...messagesFor([request])];
    },
    {
      validator: (request: SubmitRequest) => refuseRequest(request, state.inbox),
      description:
        'Takes a message that is in the store. For clients: everloop -p, everloop steer.',
    },
  );
  setHandler(
    withdraw,
    (id) => {
      const isWaiting = state.inbox.some(({ messageId }) => messageId === id);
      if (isWaiting) setState(SessionState.withdrawn(state, id));
      untold = untold.filter((messageId) => messageId !== id);
      return isWaiting;
    },
    { description: 'Takes a message back that waits. For clients.' },
  );
  const tellOf = (told: Adjustment): void => {
    if (isRunning()) adjustment = adjusted(adjustment, forQuery(state, told));
  };
  const setPaused = (paused: boolean): void => {
    setState(SessionState.held(state, paused));
    tellOf({ paused });
  };
  setHandler(pause, () => setPaused(true), {
    description: 'Holds the running query before its next turn, and begins no other.',
  });
  setHandler(resume, () => setPaused(false), { description: 'Lets a paused session go on.' });
  setHandler(
    change,
    (told) => {
      setState(SessionState.adjusted(state, told));
      tellOf(told);
    },
    {
      validator: (told: Adjustment) => {
        refuseAdjustment(told);
        if (told.workspace !== undefined) refuseMove(input.workspace);
        else if (!isRunning() && state.inbox.length === 0) throw nothingRuns();
      },
      description:
        'Changes model, mode or limits of the running query and of the messages that wait, as {"maxTurns": 40} or {"maxBudgetUsd": 5}.',
    },
  );
  setHandler(release, () => setState(SessionState.released(state)), {
    description: 'Ends the session as soon as it has nothing to do.',
  });
  setHandler(interrupt, stopQuery, {
    description: 'Stops the running query: "user". The session goes on with the next message.',
  });
  setHandler(stopSession, stop, {
    description: 'Stops the running query and background shells, drops what waits, ends.',
  });
  setHandler(queryEnded, (ended) => setState(SessionState.queryEnded(state, ended)), {
    description: 'What a query tells its session when it has ended.',
  });
  displaySession(() => state);
  setHandler(
    sessionStatus,
    () => ({
      status: state.activeQuery === null ? 'idle' : 'running',
      activeQuery: state.activeQuery,
      waiting: state.inbox.map(({ messageId }) => messageId),
      leaf: state.leaf,
      paused: state.paused === true,
      costUsd: state.costUsd ?? 0,
    }),
    { description: 'What the session does, and which messages wait.' },
  );

  const hasMail = (): boolean =>
    isRunning() && (interruptBy !== null || untold.length > 0 || adjustment !== null);
  const mayStart = (): boolean => !isRunning() && state.inbox.length > 0 && state.paused !== true;
  const isDone = (): boolean =>
    !isRunning() &&
    state.inbox.length === 0 &&
    (state.stopped || (state.paused !== true && (state.released || isIdleTooLong)));
  const isRolloverDue = (): boolean =>
    hasProgressed && workflowInfo().historyLength >= input.rolloverEvents;
  /** Mail that never ends must not keep the session from its rollover: a run may have 2,000 Updates. */
  const isOverdue = (): boolean =>
    hasProgressed &&
    workflowInfo().historyLength >= 2 * input.rolloverEvents &&
    patched('rollover-carries-mail');

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
    untold = messagesFor(state.inbox);
    try {
      const child = await startChild(query, {
        workflowId,
        args: [queryInput],
        ...queryLabels(queryInput),
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
    const [messageIds, by, told] = [untold, interruptBy, adjustment];
    untold = [];
    interruptBy = null;
    adjustment = null;
    // First: it may be why the query should go no further.
    if (told !== null) await tellQuery(adjust, told);
    for (const [index, messageId] of messageIds.entries()) {
      if (isOverdue()) {
        untold = [...messageIds.slice(index), ...untold];
        interruptBy ??= by;
        return;
      }
      await tellQuery(steer, messageId, ...priorityOf(state, messageId));
    }
    if (by !== null) await tellQuery(interrupt, by);
  };

  /** After the query, which may start one as long as it runs. What cannot be ended here is ended by `everloop stop`. */
  const endShells = async (): Promise<void> => {
    setState(SessionState.shellsEnded(state));
    const { workspace = input.workspace } = state;
    await activities.endShells
      .executeWithOptions(
        {
          summary: 'stop · background shells',
          ...(workspace && { taskQueue: workspace.taskQueue }),
        },
        [],
      )
      .catch(() => undefined);
  };

  CancellationScope.current().cancelRequested.catch(stop);

  // Temporal's Cancel is a stop like any other: the session still sees its query to the end.
  return CancellationScope.nonCancellable(async () => {
    void watchIdleness();
    for (;;) {
      await condition(() => hasMail() || mayStart() || isDone() || isRolloverDue());
      const [first] = state.inbox;
      if (hasMail() && !isOverdue()) await deliverMail();
      else if (mayStart() && first !== undefined) await startQuery(first);
      else {
        await condition(allHandlersFinished);
        if (isDone() && state.hasShellsToEnd === true && patched('stop-ends-shells')) {
          await endShells();
          continue;
        }
        if (isDone()) return;
        const hasNoMail = untold.length === 0 && interruptBy === null && adjustment === null;
        if (isRolloverDue() && (hasNoMail || isOverdue())) {
          const carry = hasNoMail
            ? state
            : { ...state, mail: mailOf(untold, interruptBy, adjustment) };
          return continueAsNew<typeof session>({ ...input, carry });
        }
      }
    }
  });
}

/** Ids of the messages that a running query may take up: those that do not go somewhere else. */
const messagesFor = (requests: readonly SubmitRequest[]): readonly string[] =>
  requests.filter(({ behind }) => behind === undefined).map(({ messageId }) => messageId);

type Mail = Omit<SessionMail, 'adjustment'> & { readonly adjustment?: Adjustment | null };

const NO_MAIL: Mail = { untold: [], interruptBy: null };

const mailOf = (
  untold: Mail['untold'],
  interruptBy: Mail['interruptBy'],
  adjustment: Adjustment | null,
): SessionMail => ({ untold, interruptBy, ...(adjustment !== null && { adjustment }) });
