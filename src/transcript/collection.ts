import type { FileState, LedgerEvent } from './file-history';
import type { FollowedEntry } from './session-log';

/** What of a session may go when it is old: the session goes on without it just the same.
 *  `ledger`: what became of calls whose result the transcript has. `log`: what observers were told of queries that
 *  have ended, and their streams. `checkpoints`: what files were, which a rewind to a later place does not need. */
export type CollectedKind = (typeof COLLECTED_KINDS)[number];

export const COLLECTED_KINDS = ['ledger', 'log', 'checkpoints'] as const;

/** What a collection removes, or would remove. */
export interface Collected {
  readonly items: number;
  readonly bytes: number;
}

export const NOTHING_COLLECTED: Collected = { items: 0, bytes: 0 };

export function addCollected(one: Collected, other: Collected): Collected {
  return { items: one.items + other.items, bytes: one.bytes + other.bytes };
}

/** The queries whose entries may go: those that ended before an instant. One that never told of its end stays: a
 *  client that resumes the session asks for it. */
export class OldQueries {
  /** null: it has not ended. */
  readonly #endedAt = new Map<string, string | null>();
  readonly #before: string;

  private constructor(before: string) {
    this.#before = before;
  }

  /** `before`: ISO instant. */
  static async in(
    entries: AsyncIterable<Pick<FollowedEntry, 'at' | 'entry'>>,
    before: string,
  ): Promise<OldQueries> {
    const old = new OldQueries(before);
    for await (const { at, entry } of entries) {
      if (entry.type === 'query_started') old.#endedAt.set(entry.queryId, null);
      if (entry.type === 'query_ended') old.#endedAt.set(entry.queryId, at);
    }
    return old;
  }

  /** Entries of a query that the log does not know to have begun go by their own age. */
  has({ at, entry }: Pick<FollowedEntry, 'at' | 'entry'>): boolean {
    const endedAt = this.#endedAt.get(entry.queryId);
    if (endedAt === null) return false;
    return (endedAt ?? at) < this.#before;
  }
}

/** Digests of the contents that a rewind to any place behind the old ones may need. `isOld`: of the record that an
 *  event belongs to. */
export function neededContents(
  events: readonly LedgerEvent[],
  isOld: (recordId: string) => boolean,
): ReadonlySet<string> {
  const needed = new Set<string>();
  const need = (state: FileState): void => {
    if (state !== null) needed.add(state.digest);
  };
  const latest = new Map<string, FileState>();
  for (const event of events) {
    if (event.type === 'change') {
      const { path, before, after } = event.change;
      if (!isOld(event.call.recordId)) [before, after].forEach(need);
      latest.set(path, after);
    }
    if (event.type !== 'found') continue;
    for (const { path, state } of event.found.files) {
      if (!isOld(event.found.at)) [latest.get(path) ?? null, state].forEach(need);
      latest.set(path, state);
    }
  }
  [...latest.values()].forEach(need);
  return needed;
}
