import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { TranscriptRecord } from './record';
import type { SessionStore } from './store';
import { wholeChain } from './whole-chain';

/** Begins a new session with the conversation of another, in one append. Records keep their uuids.
 *  `leaf`: the last record that is taken over; null: the source is empty.
 *  Fails: as the store does; `target` is then as empty as before. */
export async function forkInto(
  target: SessionStore,
  source: SessionStore,
  leaf: string | null,
): Promise<void> {
  if (leaf === null) return;
  const records = rechained(await wholeChain(source, leaf), target.meta.sessionId);
  // Nobody else knows the session yet. If this process dies, its lease is nobody's: it has no socket.
  const owner = { workerId: randomUUID(), host: hostname(), socket: '' };
  const lease = await target.acquireLease(owner, async () => true);
  await target.append(lease, 'fork', records);
  await target.releaseLease(lease);
}

/** Other programs keep links in a chain that are no records; the copy goes without them. */
function rechained(
  records: readonly TranscriptRecord[],
  sessionId: string,
): readonly TranscriptRecord[] {
  return records.map((record, index) => {
    const before = record.parentUuid === null ? undefined : records[index - 1];
    return { ...record, sessionId, parentUuid: before?.uuid ?? null };
  });
}
