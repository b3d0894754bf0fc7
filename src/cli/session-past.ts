import type { LogCursor, LogEntry } from '../transcript/session-log';
import type { SessionLog } from '../transcript/store';

export type QueryStarted = Extract<LogEntry, { type: 'query_started' }>;

/** What the log of a session says of its queries, from its beginning to the cursor. */
export interface SessionPast {
  /** null: it says nothing. */
  readonly cursor: LogCursor | null;
  /** The queries that have begun and not told of an end. */
  readonly unfinished: readonly QueryStarted[];
}

export async function readPast(log: Pick<SessionLog, 'read'>): Promise<SessionPast> {
  let cursor: LogCursor | null = null;
  const unfinished = new Map<string, QueryStarted>();
  for await (const { entry, cursor: behind } of log.read()) {
    cursor = behind;
    if (entry.type === 'query_started') unfinished.set(entry.promptId, entry);
    if (entry.type === 'query_ended') unfinished.delete(entry.promptId);
  }
  return { cursor, unfinished: [...unfinished.values()] };
}
