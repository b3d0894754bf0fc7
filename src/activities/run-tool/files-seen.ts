import type { ToolUseRef } from '../../loop/context';
import type { FileSeen, TranscriptRecord } from '../../transcript/record';
import type { ServedSession } from '../served-sessions';

/** The files that a conversation has seen, as of a call: what its chain tells, and the results of the calls
 *  before it in the same reply, which are in the ledger only. Rebuilt from records, so it outlives the Worker. */
export async function filesSeenBy(
  { store, uncommitted }: ServedSession,
  call: ToolUseRef,
): Promise<ReadonlyMap<string, FileSeen>> {
  // An early call is safe, so it never asks what was seen: only committed calls do.
  const chain = uncommitted.has(call.recordId) ? [] : await store.chain(call.recordId);
  const seen = new Map<string, FileSeen>();
  for (const record of chain) remember(seen, record);
  for (const sibling of callsBefore(chain, call)) {
    const entry = await store.ledger.find(sibling);
    if (entry?.result !== undefined) remember(seen, entry.result.record);
  }
  return seen;
}

function remember(seen: Map<string, FileSeen>, record: TranscriptRecord): void {
  for (const file of record.everloop?.files ?? []) seen.set(file.path, file);
}

/** Earlier calls of the reply that the call belongs to. */
function callsBefore(chain: readonly TranscriptRecord[], call: ToolUseRef): readonly ToolUseRef[] {
  const own = chain.at(-1);
  if (own?.type !== 'assistant') return [];
  return chain.flatMap((record) =>
    record.type === 'assistant' &&
    record.message.id === own.message.id &&
    record.uuid !== call.recordId
      ? record.message.content.flatMap((block) =>
          block.type === 'tool_use' ? [{ id: block.id, recordId: record.uuid }] : [],
        )
      : [],
  );
}
