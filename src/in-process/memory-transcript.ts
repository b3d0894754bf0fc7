import { randomUUID } from 'node:crypto';
import type { AutoCompactTracking } from '../loop/auto-compact-tracking';
import type { ToolUseRef } from '../loop/context';
import type { FileSeen, TranscriptRecord, UserRecord } from '../transcript/record';

/** A conversation that lives as long as its process: the same records and chains as in a store. Kept by the
 *  caller, it is what the next run goes on from. */
export class MemoryTranscript {
  readonly sessionId = randomUUID();
  /** What the last run learnt of compactions; null: nothing. */
  autoCompactTracking: AutoCompactTracking | null = null;
  readonly #records = new Map<string, TranscriptRecord>();
  readonly #results = new Map<string, UserRecord>();
  #leaf: string | null = null;

  /** uuid of the last chained record; null: empty. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** Chains records behind a leaf, in order, and returns them as they were written. */
  append<Kind extends TranscriptRecord>(leaf: string | null, records: readonly Kind[]): Kind[] {
    let parentUuid = leaf;
    return records.map((record) => {
      const linked = { ...record, parentUuid };
      this.hold(linked);
      this.#leaf = parentUuid = linked.uuid;
      return linked;
    });
  }

  /** The context that a leaf names, oldest first. */
  chain(leaf: string | null = this.#leaf): readonly TranscriptRecord[] {
    const records: TranscriptRecord[] = [];
    for (let uuid = leaf; uuid !== null;) {
      const record = this.find(uuid);
      records.push(record);
      uuid = record.parentUuid;
    }
    return records.reverse();
  }

  /** Knows a record before it is chained: a message that waits, a block whose reply still streams. */
  hold(record: TranscriptRecord): void {
    this.#records.set(record.uuid, record);
  }

  find(uuid: string): TranscriptRecord {
    const record = this.#records.get(uuid);
    if (record === undefined) throw new Error(`Record ${uuid} is not in this transcript.`);
    return record;
  }

  /** What came of a call. It is chained with the next request, in the order of the calls. */
  resultOf({ recordId }: ToolUseRef): UserRecord | undefined {
    return this.#results.get(recordId);
  }

  holdResult({ recordId }: ToolUseRef, result: UserRecord): void {
    this.#results.set(recordId, result);
  }

  /** Files that the conversation's calls have seen, by path. */
  filesSeen(): ReadonlyMap<string, FileSeen> {
    const files = [...this.#results.values()].flatMap(({ everloop }) => everloop?.files ?? []);
    return new Map(files.map((file) => [file.path, file]));
  }
}
