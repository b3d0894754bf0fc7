import type { Usage } from '../loop/usage';
import type { QueryResult } from '../transcript/session-log';

/** What a page tells of a session. Instants are ms since the epoch; texts are as they were said, so that whoever
 *  shows them has to hide what must not be seen. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly cwd: string;
  readonly createdMs: number;
  /** When this was found out. */
  readonly seenMs: number;
  readonly history: HistorySource;
  /** Those of people, oldest first. */
  readonly queries: readonly QueryFacts[];
}

/** What the Temporal server could tell beside the store: attempts, Workers, rollovers, pauses.
 *  `none`: another program recorded the session, so that there never was an Event History. */
export type HistorySource =
  | { readonly type: 'read' | 'none' }
  /** Of `of` queries, `missing` have no Event History any more. */
  | { readonly type: 'gone'; readonly missing: number; readonly of: number }
  | { readonly type: 'away'; readonly reason: string };

export interface Span {
  readonly fromMs: number;
  /** null: it goes on. */
  readonly toMs: number | null;
}

/** `unfinished`: no end was written down, and no Workflow is known to work on it. `recorded`: before
 *  this session was, by another program or the session that it was forked from. */
export type QueryState = 'running' | 'ended' | 'unfinished' | 'recorded';

export interface QueryFacts extends Span {
  readonly queryId: string;
  readonly promptId: string;
  /** null: the store has it no more. */
  readonly prompt: string | null;
  readonly model: string | null;
  readonly state: QueryState;
  readonly result: Pick<QueryResult, 'subtype' | 'is_error' | 'terminal_reason' | 'errors'> | null;
  readonly turns: readonly TurnFacts[];
  readonly compactions: readonly Compaction[];
  readonly pauses: readonly Span[];
  readonly marks: readonly Mark[];
  /** Names of the Workers that took part, in the order in which they came. */
  readonly workers: readonly string[];
}

export interface Compaction extends Span {
  readonly costUsd: number;
  readonly usage: Usage;
}

/** Something that happened at one moment. */
export interface Mark {
  readonly atMs: number;
  readonly type: 'retry' | 'worker' | 'rollover' | 'message' | 'notice';
  /** Ours, and harmless. */
  readonly label: string;
  /** What was said, if anything. */
  readonly text: string;
}

export interface TurnFacts {
  readonly number: number;
  readonly requests: readonly RequestFacts[];
  /** null: no reply is on record. */
  readonly reply: ReplyFacts | null;
  /** What the model wrote beside its calls. */
  readonly text: string;
  readonly calls: readonly CallFacts[];
}

/** `discarded`: its reply was taken back. `lost`: its Worker went in the middle of it. */
export interface RequestFacts extends Span {
  readonly outcome: 'committed' | 'discarded' | 'lost' | 'running';
  /** Why it was taken back; null: it was not. */
  readonly reason: string | null;
}

export interface ReplyFacts {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly stopReason: string | null;
}

/** `unknown`: its Worker died, and nothing tells whether its effect happened. `none`: nothing came of it. */
export type CallOutcome = 'ok' | 'error' | 'unknown' | 'denied' | 'running' | 'none';

export interface CallFacts extends Span {
  readonly id: string;
  /** Of the record that holds the call. */
  readonly recordId: string;
  readonly name: string;
  /** A few words of its input. */
  readonly summary: string;
  readonly outcome: CallOutcome;
  /** What it ended with, if that was not well. */
  readonly failure: string;
  /** 1: the first one did it. */
  readonly attempts: number;
  /** When the attempt began that did it; null: unknown, or the first one did. */
  readonly lastAttemptMs: number | null;
  /** Why there was more than one attempt; empty: unknown, or there was not. */
  readonly attemptFailure: string;
  /** Name of the Worker that did it; null: unknown. */
  readonly worker: string | null;
  /** While it waited for somebody's word. */
  readonly waits: readonly Wait[];
  readonly subAgent: QueryFacts | null;
}

export interface Wait extends Span {
  /** "allowed by ada"; null: nobody has decided. */
  readonly decision: string | null;
}
