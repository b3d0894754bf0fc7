import type { TranscriptRecord } from '../transcript/record';
import type { FollowedEntry, LogCursor } from '../transcript/session-log';
import type { SessionStore } from '../transcript/store';

/** What a session looked like when it was opened. */
export interface ScreenPast {
  /** Of a conversation that began elsewhere: another program wrote it, or it was forked. Oldest first. */
  readonly older: readonly TranscriptRecord[];
  readonly entries: readonly FollowedEntry[];
  /** Where following goes on; null: at the beginning of the log. */
  readonly cursor: LogCursor | null;
}

export async function readScreenPast(
  store: Pick<SessionStore, 'log' | 'lastLeaf' | 'chain'>,
): Promise<ScreenPast> {
  const all: FollowedEntry[] = [];
  for await (const followed of store.log.read()) all.push(followed);
  const entries = untilOpenStream(all);
  const logged = new Set(
    all.flatMap(({ entry }) => (entry.type === 'record' ? [entry.record.uuid] : [])),
  );
  const leaf = await store.lastLeaf();
  const chain = leaf === null ? [] : await store.chain(leaf);
  const known = chain.findIndex(({ uuid }) => logged.has(uuid));
  const cursor = entries.at(-1)?.cursor ?? null;
  return { older: known === -1 ? chain : chain.slice(0, known), entries, cursor };
}

/** A reply that still streams is followed from its beginning: what of it has come is shown at once. */
function untilOpenStream(entries: readonly FollowedEntry[]): readonly FollowedEntry[] {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const type = entries[index]?.entry.type;
    if (type === 'stream_started') return entries.slice(0, index);
    if (type === 'stream_committed' || type === 'stream_discarded' || type === 'query_ended') break;
  }
  return entries;
}
