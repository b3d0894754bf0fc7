import { performance } from 'node:perf_hooks';
import type { ToolUseRef } from '../loop/context';
import { queryWorkflowId } from '../loop/workflow-id';
import type { Trouble } from '../client/session-trouble';
import { withoutRepeats } from '../client/without-repeats';
import type { InboxMessage } from '../transcript/message';
import type { FollowedEntry, LogCursor } from '../transcript/session-log';
import {
  questionName,
  type PermissionAnswer,
  type PermissionQuestion,
} from '../transcript/permission';
import { sessionWorkflowId } from '../transcript/place';
import type { SessionStore } from '../transcript/store';
import type { RunningWorker } from '../worker';
import type { Adjustment, QueryStatus } from '../workflows/interface';
import type { SessionConnection, SessionStanding, WaitingQuestion } from './session-connection';
import type { Connected } from './session-host';
import type { QueryStarted } from './session-past';
import { SessionWatch } from './session-watch';

export interface LiveSessionParts {
  readonly session: SessionStore;
  /** Of the transcript store. */
  readonly place: string;
  readonly connected: Connected;
  /** May still be starting; null: another process serves the session. */
  readonly worker: Promise<RunningWorker | null>;
  readonly from: LogCursor | null;
  /** Queries that ran before; null, or absent: the session did not run. */
  readonly unfinished?: readonly QueryStarted[] | null;
  /** The record that the first message goes behind; null, or absent: the session's end. */
  readonly behind?: string | null;
  /** The command sends one message: the session ends with it. */
  readonly isOneShot: boolean;
  /** Called when this process has served the session to its end. */
  readonly onEnd: () => Promise<void>;
  /** Ends the attempts to serve the session, if another process still does. */
  readonly leave?: () => void;
  /** Whether a living process serves the session. */
  readonly isServed: () => Promise<boolean>;
  /** What keeps these Workflows from going on. */
  readonly findTrouble: (workflowIds: readonly string[]) => Promise<Trouble | null>;
  /** A line for people. */
  readonly tell: (line: string) => void;
}

/** How long a command that leaves waits for its session to close; what is left then waits for the next one. */
const CLOSE_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 10;
const ANSWER_WITHIN_MS = 3_000;

/** A session on a real server, served by this process or by another. */
export class LiveSession implements SessionConnection {
  readonly #parts: LiveSessionParts;
  readonly #watch: SessionWatch;
  /** The Worker of this process failed, or the session cannot go on. */
  readonly #failed: Promise<never>;
  /** Workflow id of the query that answers the newest message of this client. */
  #newestQuery: string | null = null;
  #isReleased = false;
  #behind: string | null;

  constructor(parts: LiveSessionParts) {
    this.#parts = parts;
    this.#behind = parts.behind ?? null;
    const { sessionId } = parts.session.meta;
    this.#watch = new SessionWatch({
      sessionId,
      look: () => this.#findTrouble(),
      tell: parts.tell,
    });
    this.#failed = new Promise((_resolve, reject) => {
      parts.worker.then((worker) => worker?.finished).catch(reject);
      this.#watch.stuck.catch(reject);
    });
    this.#failed.catch(() => undefined);
  }

  get sessionId(): string {
    return this.store.meta.sessionId;
  }

  get store(): SessionStore {
    return this.#parts.session;
  }

  async submit(message: InboxMessage): Promise<void> {
    const { connected, isOneShot } = this.#parts;
    this.#newestQuery = queryWorkflowId(this.#workflowId, message.id);
    const submitted = this.#placed(message).then((placed) =>
      connected.agent.submit(this.store, placed, { isLast: isOneShot }),
    );
    await Promise.race([submitted, this.#failed]);
  }

  /** What comes first goes where the command wants to go on; what follows goes behind that. */
  async #placed(message: InboxMessage): Promise<InboxMessage> {
    const behind = this.#behind;
    if (behind === null) return message;
    this.#behind = null;
    await this.#endQueries();
    return { ...message, behind };
  }

  /** What an unfinished query would still say is of what is left out. */
  async #endQueries(): Promise<void> {
    const { agent } = this.#parts.connected;
    if (!(await agent.isRunning(this.sessionId))) return;
    for (let stopped: string | null = null; ;) {
      const status = await agent.status(this.sessionId);
      const active = status?.activeQuery?.workflowId ?? null;
      if (status === undefined || (active === null && status.waiting.length === 0)) return;
      if (active !== stopped) await agent.interrupt(this.sessionId, 'user');
      stopped = active;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async answer(
    of: { readonly queryId: string; readonly call: ToolUseRef },
    answer: PermissionAnswer,
  ): Promise<void> {
    await this.#parts.connected.agent.answer(this.store, of, answer);
  }

  async openQuestions(): Promise<readonly WaitingQuestion[]> {
    const open = await this.#parts.connected.agent.questions(this.sessionId);
    const waiting = open.map(async ({ queryId, question: { call } }) => {
      const stored = (await this.store.readDocument(questionName(call))) as
        { readonly question: PermissionQuestion } | undefined;
      return stored === undefined ? [] : [{ queryId, question: stored.question }];
    });
    return (await Promise.all(waiting)).flat();
  }

  get unfinished(): readonly QueryStarted[] {
    return this.#parts.unfinished ?? [];
  }

  async unanswered(): Promise<readonly string[]> {
    const { connected, unfinished = null } = this.#parts;
    if (unfinished === null) return [];
    const status = await Promise.race([connected.agent.status(this.sessionId), this.#failed]);
    const active = status?.activeQuery?.promptId;
    return [...(active === undefined ? [] : [active]), ...(status?.waiting ?? [])];
  }

  async standing(): Promise<SessionStanding> {
    if (!(await this.#parts.isServed())) return { isServed: false, query: null, endedUsd: 0 };
    const { agent, client } = this.#parts.connected;
    return client.withDeadline(Date.now() + ANSWER_WITHIN_MS, async () => {
      const status = await agent.status(this.sessionId);
      const active = status?.activeQuery?.workflowId;
      const query =
        active === undefined
          ? null
          : await client.workflow.getHandle(active).query<QueryStatus>('status');
      return { isServed: true, query, endedUsd: status?.costUsd ?? 0 };
    });
  }

  async change(adjustment: Adjustment): Promise<void> {
    await this.#parts.connected.agent.change(this.sessionId, adjustment);
  }

  withdraw(messageId: string): Promise<boolean> {
    return this.#parts.connected.agent.withdraw(this.sessionId, messageId);
  }

  interrupt(): Promise<void> {
    return this.#parts.connected.agent.interrupt(this.sessionId, 'user');
  }

  async stop(): Promise<readonly InboxMessage[]> {
    const { agent, client } = this.#parts.connected;
    // Nobody may be there who knows, and the stop must not wait for them.
    const waiting = await client
      .withDeadline(Date.now() + ANSWER_WITHIN_MS, () => agent.waiting(this.sessionId))
      .catch(() => []);
    await agent.stop(this.sessionId);
    this.#isReleased = true;
    const messages = await Promise.all(waiting.map((id) => this.store.findMessage(id)));
    return messages.filter((message) => message !== undefined);
  }

  async *follow(
    signal: AbortSignal,
    from: LogCursor | null = this.#parts.from,
  ): AsyncGenerator<FollowedEntry, void> {
    const failed = new AbortController();
    this.#failed.catch(() => failed.abort());
    const either = AbortSignal.any([signal, failed.signal]);
    for await (const entry of withoutRepeats(this.store.log.follow(from, either))) {
      this.#watch.heard();
      yield entry;
    }
    if (failed.signal.aborted) await this.#failed;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if (!this.#parts.isOneShot) await this.#parts.connected.agent.release(this.sessionId);
  }

  /** A process that serves its session sees it close first, so that nothing is left open behind it. */
  async close(): Promise<void> {
    const { connected } = this.#parts;
    this.#watch.stop();
    this.#parts.leave?.();
    const worker = await this.#parts.worker.catch(() => null);
    if (worker !== null) {
      if (this.#isReleased) await this.#untilClosed();
      await worker.stop();
      if (this.#isReleased) await this.#parts.onEnd();
      if (this.#isReleased && !this.store.meta.persistent) await this.store.delete();
    }
    await connected.close();
  }

  async #untilClosed(): Promise<void> {
    const { agent } = this.#parts.connected;
    const deadline = performance.now() + CLOSE_WITHIN_MS;
    while (performance.now() < deadline && (await agent.isRunning(this.sessionId))) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  #findTrouble(): Promise<Trouble | null> {
    const query = this.#newestQuery === null ? [] : [this.#newestQuery];
    return this.#parts.findTrouble([this.#workflowId, ...query]);
  }

  get #workflowId(): string {
    return sessionWorkflowId(this.#parts.place, this.sessionId);
  }
}
