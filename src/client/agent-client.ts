import { WithStartWorkflowOperation, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError, type Workflow } from '@temporalio/common';
import { persist } from './persist';
import { askRunningQuery } from './running-query';
import { betweenFailpoints } from '../failpoint/failpoint';
import type { ToolUseRef } from '../loop/context';
import type { Gates } from '../loop/gates';
import type { AbortReason } from '../loop/terminal';
import type { InboxMessage } from '../transcript/message';
import type { PermissionAnswer } from '../transcript/permission';
import { sessionWorkflowId } from '../transcript/place';
import { messageSummary } from '../transcript/message-summary';
import { queryLimitsOf } from '../transcript/query-limits';
import { placeMessage } from '../transcript/rewound';
import { isRunning } from '../temporal/is-running';
import { isBackgroundQueue, workspaceQueue } from '../temporal/task-queue';
import type { SessionMeta, SessionStore } from '../transcript/store';
import { startAttributes } from '../visibility/search-attributes';
import type {
  Adjustment,
  DecisionReceipt,
  MessagePriority,
  OpenQuestion,
  QueryStatus,
  SessionInput,
  SessionStatus,
  SubmitRequest,
} from '../workflows/interface';

/** Limits that a Workflow is started with; Workers never read them from their own environment. */
export interface SessionLimits {
  /** ms. */
  readonly idleMs: number;
  /** Events of one run after which it continues as new. */
  readonly rolloverEvents: number;
  readonly maxToolConcurrency: number;
  /** Default: what every session has. */
  readonly gates?: Gates;
  /** Who starts sessions. Default: the server does not know our search attributes, and none are set. */
  readonly attributes?: { readonly user: string };
  /** Whose share of busy Workers the sessions have (Temporal's fairness key). Absent: nobody's in particular. */
  readonly tenant?: string;
  /** Messages that come in meanwhile are heard of one after each batch. Absent: all that wait. */
  readonly steering?: 'one_at_a_time';
}

/** A call that waits, and the query whose call it is. */
export interface AskedQuestion {
  readonly queryId: string;
  readonly question: OpenQuestion;
}

/** Talks to sessions: messages in, stop and status. Content goes to the store, ids go to Temporal. */
export class AgentClient {
  constructor(
    private readonly client: Client,
    /** Where the transcript store lies (`TranscriptStore.place`). */
    private readonly place: string,
    private readonly limits: SessionLimits,
  ) {}

  /** Hands a message to its session, which is started if it does not run. Safe to repeat with the same id.
   *  `isLast`: this client will send no other; the session ends with it.
   *  `priority`: it is for the query that runs; absent: from whoever talks with the session.
   *  Waits for a server that is away, and for Workers that replace others.
   *  Fails: when the store cannot keep the message, or no Worker accepts it. */
  async submit(
    session: SessionStore,
    message: InboxMessage,
    { isLast, priority }: { readonly isLast: boolean; readonly priority?: MessagePriority },
  ): Promise<void> {
    const placed = await placeMessage(session, message);
    await session.putMessage(placed);
    const request: SubmitRequest = {
      ...this.toRequest(session, placed, isLast),
      ...(priority && { priority }),
    };
    for (let attempt = 1; ; attempt += 1) {
      try {
        await betweenFailpoints('rpc.submit', () =>
          persist(() =>
            this.client.workflow.executeUpdateWithStart<Workflow, undefined, [SubmitRequest]>(
              'submit',
              {
                args: [request],
                updateId: message.id,
                startWorkflowOperation: this.startOperation(session, message),
              },
            ),
          ),
        );
        return;
      } catch (error) {
        if (isRefusal(error)) throw error.cause;
        // The session closed at that very moment: the next call starts it anew.
        if (attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  /** No more messages will come from this client. */
  release(sessionId: string): Promise<void> {
    return this.signal(sessionId, 'release');
  }

  interrupt(sessionId: string, by: AbortReason): Promise<void> {
    return this.signal(sessionId, 'interrupt', by);
  }

  /** Stops the running query and the background shells, drops what waits and ends the session. It can be resumed. */
  stop(sessionId: string): Promise<void> {
    return this.signal(sessionId, 'stop');
  }

  /** Takes a message back that no query has taken up. false: one has, or the session does not know it. */
  async withdraw(sessionId: string, messageId: string): Promise<boolean> {
    const args: [string] = [messageId];
    try {
      if (!(await this.handle(sessionId).executeUpdate<boolean, [string]>('withdraw', { args }))) {
        return false;
      }
      const gaveBack = await this.ofQuery(sessionId, (query) =>
        query.executeUpdate<boolean, [string]>('withdraw', { args }),
      );
      if (gaveBack === 'none') return true;
      // What has ended has answered it, or lost it; whichever it was, the session said that it still waited.
      return gaveBack === 'ended' ? false : gaveBack;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Holds the running query before its next turn, and lets the session begin no other. Nothing is lost. */
  pause(sessionId: string): Promise<void> {
    return this.signal(sessionId, 'pause');
  }

  resume(sessionId: string): Promise<void> {
    return this.signal(sessionId, 'resume');
  }

  /** Changes model, mode or limits of the running query and of the messages that wait. false: there are none.
   *  Fails: ApplicationFailure `Session.BadChange`; when no Worker accepts it. */
  async change(sessionId: string, adjustment: Adjustment): Promise<boolean> {
    const handle = this.handle(sessionId);
    const options = { args: [adjustment] as [Adjustment] };
    try {
      await betweenFailpoints('rpc.change', () =>
        persist(() => handle.executeUpdate<undefined, [Adjustment]>('change', options)),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      const cause = error instanceof Error ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure)) throw error;
      if (cause.type === 'Session.NothingRuns') return false;
      throw cause;
    }
  }

  /** Answers a permission question. The first answer counts. Safe to repeat.
   *  Fails: when the store cannot keep the answer, or no Worker accepts it. */
  async answer(
    session: SessionStore,
    { queryId, call }: { readonly queryId: string; readonly call: ToolUseRef },
    answer: PermissionAnswer,
  ): Promise<DecisionReceipt> {
    await session.putAnswer(call, answer);
    try {
      const handle = this.client.workflow.getHandle(queryId);
      return await betweenFailpoints('rpc.decide', () =>
        persist(() =>
          handle.executeUpdate<DecisionReceipt, [ToolUseRef, boolean, string]>('decide', {
            args: [call, answer.behavior === 'deny' && answer.interrupt === true, answer.by],
          }),
        ),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'not_asked';
      throw error;
    }
  }

  /** Questions of the running query and its sub-agents that nobody has answered; none when nothing runs. */
  async questions(sessionId: string): Promise<readonly AskedQuestion[]> {
    const asked = await this.ofQuery(sessionId, (query) => this.questionsOf(query));
    return typeof asked === 'string' ? [] : asked;
  }

  private async questionsOf(query: WorkflowHandle): Promise<readonly AskedQuestion[]> {
    const { workflowId: queryId } = query;
    const { questions, subAgents } = await query.query<QueryStatus>('status');
    const ofSubAgents = await Promise.all(subAgents.map((id) => this.questionsOfSubAgent(id)));
    return [...questions.map((question) => ({ queryId, question })), ...ofSubAgents.flat()];
  }

  /** One that is just beginning asks nothing yet, and one that has ended nothing any more. */
  private async questionsOfSubAgent(workflowId: string): Promise<readonly AskedQuestion[]> {
    try {
      return await this.questionsOf(this.client.workflow.getHandle(workflowId));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  }

  /** undefined: the session does not run now. */
  async status(sessionId: string): Promise<SessionStatus | undefined> {
    try {
      return await this.handle(sessionId).query<SessionStatus>('status');
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  /** Status of the running query; undefined: none runs. */
  async queryStatus(sessionId: string): Promise<QueryStatus | undefined> {
    const status = await this.ofQuery(sessionId, (query) => query.query<QueryStatus>('status'));
    return typeof status === 'string' ? undefined : status;
  }

  /** Ids of the messages that nobody has taken up yet; none when nothing runs. */
  async waiting(sessionId: string): Promise<readonly string[]> {
    const { waiting = [], activeQuery = null } = (await this.status(sessionId)) ?? {};
    if (activeQuery === null || waiting.length === 0) return waiting;
    const consumed = (await this.queryStatus(sessionId))?.tally.consumed ?? [];
    return waiting.filter((id) => !consumed.includes(id));
  }

  /** Whether the session's Workflow runs. Asks the server alone, no Worker. */
  isRunning(sessionId: string): Promise<boolean> {
    return this.isQueryRunning(this.workflowId(sessionId));
  }

  /** Whether the Workflow of the query runs. Asks the server alone, no Worker. */
  isQueryRunning(workflowId: string): Promise<boolean> {
    return isRunning(this.client, workflowId);
  }

  private ofQuery<Answer>(sessionId: string, ask: (query: WorkflowHandle) => Promise<Answer>) {
    return askRunningQuery(this.client, () => this.status(sessionId), ask);
  }

  private handle(sessionId: string) {
    return this.client.workflow.getHandle(this.workflowId(sessionId));
  }

  private workflowId(sessionId: string): string {
    return sessionWorkflowId(this.place, sessionId);
  }

  /** A session that does not run has nothing to be told. */
  private async signal(
    sessionId: string,
    name: string,
    ...args: readonly unknown[]
  ): Promise<void> {
    try {
      await betweenFailpoints(`rpc.${name}`, () => this.handle(sessionId).signal(name, ...args));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  private startOperation({ meta }: SessionStore, message: InboxMessage) {
    const { attributes, tenant } = this.limits;
    const summary = messageSummary(message);
    const input: SessionInput = {
      idleMs: this.limits.idleMs,
      rolloverEvents: this.limits.rolloverEvents,
      ...this.workspaceOf(meta),
      carry: null,
    };
    return new WithStartWorkflowOperation('session', {
      workflowId: this.workflowId(meta.sessionId),
      taskQueue: meta.taskQueue,
      args: [input],
      workflowTaskTimeout: TASK_TIMEOUT,
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...(summary !== undefined && { staticSummary: summary }),
      // Its queries, sub-agents and Activities inherit it.
      ...(tenant !== undefined && { priority: { fairnessKey: tenant } }),
      ...(attributes && {
        typedSearchAttributes: startAttributes({
          user: attributes.user,
          workspace: meta.cwd,
          model: message.options.model,
        }),
      }),
    });
  }

  /** A session of a command runs where its command does. */
  private workspaceOf(meta: SessionMeta): Pick<SessionInput, 'workspace'> {
    const { workspace: name, taskQueue, fingerprint } = meta;
    if (name === undefined || !isBackgroundQueue(taskQueue)) return {};
    return { workspace: { name, taskQueue: workspaceQueue(this.place, fingerprint, name) } };
  }

  private toRequest({ meta }: SessionStore, message: InboxMessage, isLast: boolean): SubmitRequest {
    const { maxToolConcurrency, gates, steering, attributes } = this.limits;
    const { cwd } = meta;
    const limits = queryLimitsOf(message, { cwd, maxToolConcurrency, gates, attributes });
    const query = { ...limits, ...(steering && { steering }) };
    const { id: messageId, behind } = message;
    return { messageId, isLast, query, ...(behind !== undefined && { behind }) };
  }
}

const MOST_ATTEMPTS = 5;

/** A task that dies with its Worker is given to another one after this long. They take milliseconds. */
const TASK_TIMEOUT = '3s';

/** The Workflow said no: asking again would get the same answer. */
function isRefusal(error: unknown): error is Error & { readonly cause: ApplicationFailure } {
  if (!(error instanceof Error && error.cause instanceof ApplicationFailure)) return false;
  return error.cause.type === 'Session.BadMessage' || error.cause.type === 'Session.Full';
}
