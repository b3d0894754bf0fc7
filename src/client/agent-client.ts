import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError, type Workflow } from '@temporalio/common';
import { persist } from './persist';
import { betweenFailpoints } from '../failpoint/failpoint';
import type { ToolUseRef } from '../loop/context';
import type { Gates } from '../loop/gates';
import type { AbortReason } from '../loop/terminal';
import type { InboxMessage } from '../transcript/message';
import type { PermissionAnswer } from '../transcript/permission';
import { sessionWorkflowId } from '../transcript/place';
import { queryLimitsOf } from '../transcript/query-limits';
import type { SessionStore } from '../transcript/store';
import type {
  DecisionReceipt,
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
   *  Waits for a server that is away, and for Workers that replace others.
   *  Fails: when the store cannot keep the message, or no Worker accepts it. */
  async submit(
    session: SessionStore,
    message: InboxMessage,
    { isLast }: { readonly isLast: boolean },
  ): Promise<void> {
    await session.putMessage(message);
    const request = this.toRequest(session, message, isLast);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await betweenFailpoints('rpc.submit', () =>
          persist(() =>
            this.client.workflow.executeUpdateWithStart<Workflow, undefined, [SubmitRequest]>(
              'submit',
              {
                args: [request],
                updateId: message.id,
                startWorkflowOperation: this.startOperation(session),
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
          handle.executeUpdate<DecisionReceipt, [ToolUseRef, boolean]>('decide', {
            args: [call, answer.behavior === 'deny' && answer.interrupt === true],
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
    const queryId = (await this.status(sessionId))?.activeQuery?.workflowId;
    return queryId === undefined ? [] : this.questionsOf(queryId);
  }

  private async questionsOf(queryId: string): Promise<readonly AskedQuestion[]> {
    const handle = this.client.workflow.getHandle(queryId);
    const { questions, subAgents } = await handle.query<QueryStatus>('status');
    const ofSubAgents = await Promise.all(subAgents.map((id) => this.questionsOf(id)));
    return [...questions.map((question) => ({ queryId, question })), ...ofSubAgents.flat()];
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

  /** Ids of the messages that nobody has taken up yet; none when nothing runs. */
  async waiting(sessionId: string): Promise<readonly string[]> {
    const { waiting = [], activeQuery = null } = (await this.status(sessionId)) ?? {};
    if (activeQuery === null || waiting.length === 0) return waiting;
    const handle = this.client.workflow.getHandle(activeQuery.workflowId);
    const { tally } = await handle.query<QueryStatus>('status');
    return waiting.filter((id) => !tally.consumed.includes(id));
  }

  /** Whether the session's Workflow runs. Asks the server alone, no Worker. */
  isRunning(sessionId: string): Promise<boolean> {
    return this.isQueryRunning(this.workflowId(sessionId));
  }

  /** Whether the Workflow of the query runs. Asks the server alone, no Worker. */
  async isQueryRunning(workflowId: string): Promise<boolean> {
    try {
      const { status } = await this.client.workflow.getHandle(workflowId).describe();
      return status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
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

  private startOperation({ meta }: SessionStore) {
    const input: SessionInput = {
      idleMs: this.limits.idleMs,
      rolloverEvents: this.limits.rolloverEvents,
      carry: null,
    };
    return new WithStartWorkflowOperation('session', {
      workflowId: this.workflowId(meta.sessionId),
      taskQueue: meta.taskQueue,
      args: [input],
      workflowTaskTimeout: TASK_TIMEOUT,
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  }

  private toRequest({ meta }: SessionStore, message: InboxMessage, isLast: boolean): SubmitRequest {
    const { maxToolConcurrency, gates } = this.limits;
    const query = queryLimitsOf(message, { cwd: meta.cwd, maxToolConcurrency, gates });
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
