import type { TranscriptRecord } from './record';
import type { SessionStore } from './store';

/** The conversation that `leaf` ends, oldest first, with what summaries took the place of.
 *  Fails: StoreError `record_missing` when a link behind the last boundary is not there; earlier ones end it. */
export async function wholeChain(
  session: Pick<SessionStore, 'chain' | 'findRecord'>,
  leaf: string,
): Promise<readonly TranscriptRecord[]> {
  let chain = await session.chain(leaf);
  const seen = new Set<string>();
  for (;;) {
    const [first] = chain;
    const before = first?.type === 'system' ? (first.logicalParentUuid ?? null) : null;
    if (before === null || seen.has(before)) return chain;
    seen.add(before);
    if ((await session.findRecord(before)) === undefined) return chain;
    chain = [...(await session.chain(before)), ...chain];
  }
}
