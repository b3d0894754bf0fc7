import type { TranscriptRecord } from '../transcript/record';
import type { LogEntry } from '../transcript/session-log';
import type { SessionStore, TranscriptStore } from '../transcript/store';

/** The conversation that a query has led, oldest first, once it has ended. */
export async function conversationOf(
  store: TranscriptStore,
  sessionId: string,
  queryId: string,
): Promise<readonly TranscriptRecord[]> {
  const session = await store.openSession(sessionId);
  if (session === undefined) throw new Error('The session is not in its store any more.');
  const told = new Set<string>();
  for await (const entry of loggedSoFar(session)) {
    if (entry.type === 'record' && entry.queryId === queryId) told.add(entry.record.uuid);
  }
  // Each once, where it was told first: an attempt that repeats another tells again what that one has told. And those
  // of a stream that was broken off are in no conversation.
  for (const uuid of [...told].reverse()) {
    if ((await session.findRecord(uuid)) !== undefined) return session.chain(uuid);
  }
  return [];
}

async function* loggedSoFar({ log }: SessionStore): AsyncGenerator<LogEntry, void> {
  const leave = new AbortController();
  const end = await log.end();
  for await (const { entry, cursor } of log.follow(null, leave.signal)) {
    yield entry;
    if (cursor === end) leave.abort();
  }
}
