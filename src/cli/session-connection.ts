import type { FollowedEntry } from '../transcript/session-log';
import type { InboxMessage } from '../transcript/message';
import type { SessionStore } from '../transcript/store';

/** One session as a command sees it: messages in, log entries out. Whoever serves it is not the command's concern. */
export interface SessionConnection {
  readonly sessionId: string;
  readonly store: SessionStore;
  /** Resolves when the session has accepted the message: from here on nothing can lose it. */
  submit(message: InboxMessage): Promise<void>;
  /** Stops the running query; resolves when the Workflow knows, not when the query has ended. */
  interrupt(): Promise<void>;
  /** Entries from the moment of opening (or, for an attach, from the beginning), until `signal` aborts. */
  follow(signal: AbortSignal): AsyncGenerator<FollowedEntry, void>;
  /** No more messages will come: the session ends as soon as its queries have. */
  release(): Promise<void>;
  /** Leaves. A session that still works goes on if somebody else serves it, and waits otherwise. */
  close(): Promise<void>;
}
