import type { TranscriptRecord } from '../../transcript/record';
import { startMemoryPrefetch, type MemoryPlace, type MemoryPrefetch } from './memory-prefetch';

/** Searches for memories, one per user message. A Worker that takes a query over searches again: what was told
 *  before is in the conversation. */
export interface Prefetches {
  of(queryId: string, chain: readonly TranscriptRecord[], place: MemoryPlace): MemoryPrefetch;
}

/** Enough for the queries that one Worker runs at a time. */
const KEPT = 200;

export function createPrefetches(): Prefetches {
  const running = new Map<string, MemoryPrefetch>();
  return {
    of(queryId, chain, place) {
      const known = running.get(queryId);
      if (known !== undefined) return known;
      const started = startMemoryPrefetch(promptIn(chain, queryId), place);
      running.set(queryId, started);
      const [oldest] = running.keys();
      if (running.size > KEPT && oldest !== undefined) running.delete(oldest);
      return started;
    },
  };
}

/** The prompt's record has the id of its message. */
function promptIn(chain: readonly TranscriptRecord[], promptId: string): string {
  const record = chain.findLast(({ uuid }) => uuid === promptId);
  if (record?.type !== 'user') return '';
  const { content } = record.message;
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
