import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../client/agent-client';
import { withoutRepeats } from '../client/without-repeats';
import type { InboxMessage, RunOptions } from '../transcript/message';
import type { LogEntry, QueryResult } from '../transcript/session-log';
import type { SessionStore } from '../transcript/store';

export interface SaidWith {
  /** Makes a repeated message harmless; omitted: a new one. */
  readonly id?: string;
  /** Over what the session was opened with. */
  readonly options?: Partial<RunOptions>;
  /** true: this client sends no other; the session ends with it. */
  readonly isLast?: boolean;
}

/** One conversation from its client's side. */
export class AgentSession {
  #opens: 'startup' | 'resume' | null;

  /** `opens`: what its first message is told as. */
  constructor(
    readonly store: SessionStore,
    private readonly client: AgentClient,
    private readonly runs: { readonly with: RunOptions; readonly opens: 'startup' | 'resume' },
  ) {
    this.#opens = runs.opens;
  }

  get sessionId(): string {
    return this.store.meta.sessionId;
  }

  /** Hands a message over. Resolves with its id when the session has accepted it. */
  async say(content: InboxMessage['content'], said: SaidWith = {}): Promise<string> {
    const { id = randomUUID(), options, isLast = false } = said;
    const opens = this.#opens !== null && { opensSession: this.#opens };
    const message: InboxMessage = {
      id,
      content,
      submittedAt: new Date().toISOString(),
      options: { ...this.runs.with, ...options, ...opens },
    };
    await this.client.submit(this.store, message, { isLast });
    this.#opens = null;
    return id;
  }

  /** Says it and waits for the result. */
  async ask(content: InboxMessage['content'], said: SaidWith = {}): Promise<QueryResult> {
    return this.resultOf(await this.say(content, said));
  }

  /** Result of the query that answers the message: its own, or the one that it was folded into. Also of a query
   *  that ended long ago, or in another process. */
  async resultOf(messageId: string): Promise<QueryResult> {
    const found = new AbortController();
    let queryId: string | null = null;
    try {
      for await (const entry of this.follow(found.signal)) {
        if (entry.type === 'record' && entry.record.uuid === messageId) queryId = entry.queryId;
        if (entry.type !== 'query_ended') continue;
        if (entry.promptId === messageId || entry.queryId === queryId) return entry.result;
      }
    } finally {
      found.abort();
    }
    throw new Error(`The log of session ${this.sessionId} ended before message ${messageId}.`);
  }

  /** All that observers are told, from the session's beginning on. */
  async *follow(signal: AbortSignal): AsyncGenerator<LogEntry, void> {
    for await (const { entry } of withoutRepeats(this.store.log.follow(null, signal))) yield entry;
  }

  /** Stops the running query. */
  async interrupt(): Promise<void> {
    await this.client.interrupt(this.sessionId, 'user');
  }

  /** No more messages will come from here: the session ends when its queries have. */
  async release(): Promise<void> {
    await this.client.release(this.sessionId);
  }
}
