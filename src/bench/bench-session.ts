import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { queryWorkflowId } from '../loop/workflow-id';
import type { InboxMessage, RunOptions } from '../transcript/message';
import { sessionWorkflowId } from '../transcript/place';
import type { LogEntry } from '../transcript/session-log';
import type { SessionStore } from '../transcript/store';
import { clockMs } from './clock';
import type { Rig } from './rig';

const CLOSES_WITHIN_MS = 30_000;

/** A session that the background Worker serves, driven from here as any client drives it. */
export class BenchSession {
  private constructor(
    private readonly rig: Rig,
    readonly store: SessionStore,
  ) {}

  static async create(rig: Rig): Promise<BenchSession> {
    const { store, fingerprint, backgroundQueue: taskQueue } = rig.host;
    const session = await store.createSession({
      sessionId: randomUUID(),
      cwd: rig.project,
      taskQueue,
      createdAt: new Date().toISOString(),
      fingerprint,
      persistent: true,
    });
    return new BenchSession(rig, session);
  }

  get workflowId(): string {
    return sessionWorkflowId(this.rig.host.store.place, this.store.meta.sessionId);
  }

  queryId(messageId: string): string {
    return queryWorkflowId(this.workflowId, messageId);
  }

  async submit(
    content: string,
    of: { readonly isLast: boolean; readonly options?: Partial<RunOptions> },
  ): Promise<string> {
    const { isLast, options } = of;
    const message: InboxMessage = {
      id: randomUUID(),
      content,
      submittedAt: new Date().toISOString(),
      options: { ...this.rig.runOptions, ...options },
    };
    await this.rig.connected.agent.submit(this.store, message, { isLast });
    return message.id;
  }

  /** Resolves when the query of the message has ended. */
  async answered(messageId: string): Promise<void> {
    await untilLogged(this.store, 'query_ended', ({ promptId }) => promptId === messageId);
  }

  /** Resolves when the session's Workflow has closed. */
  async closed(): Promise<void> {
    const deadline = clockMs() + CLOSES_WITHIN_MS;
    while (await this.rig.connected.agent.isRunning(this.store.meta.sessionId)) {
      if (clockMs() > deadline) throw new Error(`Session ${this.workflowId} does not close.`);
      await pause(20);
    }
  }
}

/** Resolves with the first entry of the session's log that is so. */
export async function untilLogged<Type extends LogEntry['type']>(
  store: SessionStore,
  type: Type,
  isMeant: (entry: Extract<LogEntry, { type: Type }>) => boolean = () => true,
): Promise<Extract<LogEntry, { type: Type }>> {
  const leave = new AbortController();
  const isOfType = (entry: LogEntry): entry is Extract<LogEntry, { type: Type }> =>
    entry.type === type;
  try {
    for await (const { entry } of store.log.follow(null, leave.signal)) {
      if (isOfType(entry) && isMeant(entry)) return entry;
    }
    throw new Error(`The session's log ended without ${type}.`);
  } finally {
    leave.abort();
  }
}
