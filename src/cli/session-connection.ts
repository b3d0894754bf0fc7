import type { ToolUseRef } from '../loop/context';
import type { FollowedEntry, LogCursor } from '../transcript/session-log';
import type { InboxMessage } from '../transcript/message';
import type { PermissionAnswer, PermissionQuestion } from '../transcript/permission';
import type { QueryStarted } from './session-past';
import type { SessionStore } from '../transcript/store';
import type { StreamId } from '../transcript/stream-id';
import type { Adjustment, QueryStatus } from '../workflows/interface';

export interface WaitingQuestion {
  readonly queryId: string;
  readonly question: PermissionQuestion;
  /** Set while the reply of the call still streams. */
  readonly stream?: StreamId;
}

/** How a session stands now. */
export interface SessionStanding {
  /** A living process serves it. */
  readonly isServed: boolean;
  /** Of the running query; null: none runs, or nobody can say. */
  readonly query: QueryStatus | null;
  /** USD of the queries that have ended. */
  readonly endedUsd: number;
}

/** One session as a command sees it: messages in, log entries out. Whoever serves it is not the command's concern. */
export interface SessionConnection {
  readonly sessionId: string;
  readonly store: SessionStore;
  /** Resolves when the session has accepted the message: from here on nothing can lose it. */
  submit(message: InboxMessage): Promise<void>;
  /** Answers a permission question of the running query. */
  answer(
    of: { readonly queryId: string; readonly call: ToolUseRef },
    answer: PermissionAnswer,
  ): Promise<void>;
  /** Questions that waited before this command came. */
  openQuestions(): Promise<readonly WaitingQuestion[]>;
  /** Queries that ran before this command came and still run: how they began. */
  readonly unfinished: readonly QueryStarted[];
  /** Ids of the messages that the session has not answered yet. */
  unanswered(): Promise<readonly string[]>;
  /** Asks whoever serves the session. Fails: Error when nothing is heard in time. */
  standing(): Promise<SessionStanding>;
  /** Changes model or mode from the next turn of the running query on; nothing where none runs. */
  change(adjustment: Adjustment): Promise<void>;
  /** Takes a message back that nobody has taken up. false: it is too late, or it is unknown. */
  withdraw(messageId: string): Promise<boolean>;
  /** Stops the running query; resolves when the Workflow knows, not when the query has ended. */
  interrupt(): Promise<void>;
  /** Stops the running query and the background shells, and ends the session. Returns the messages that waited: nobody
   *  answers them. */
  stop(): Promise<readonly InboxMessage[]>;
  /** Entries from the moment of opening (or, for an attach, from the beginning), or from the cursor, until `signal`
   *  aborts. */
  follow(signal: AbortSignal, from?: LogCursor | null): AsyncGenerator<FollowedEntry, void>;
  /** No more messages will come: the session ends as soon as its queries have. */
  release(): Promise<void>;
  /** Leaves. A session that still works goes on if somebody else serves it, and waits otherwise. */
  close(): Promise<void>;
}
