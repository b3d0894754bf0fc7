import type { TranscriptRecord } from '../record';
import { StoreError } from '../store-error';
import { BatchReader } from './batch-reader';
import type { TailConsumer } from './file-tail';
import type { Line } from './line-reader';
import { withParallelCalls } from './parallel-calls';
import { fromTranscriptText, isBoundary, type TranscriptLine } from './transcript-line';

/** A record that is in the file and not in memory: a summary has taken its place. */
export const ARCHIVED = Symbol('archived');

/** What is in a transcript, in memory. Where a uuid occurs twice, the first record counts: records never change.
 *  Records that a summary took the place of are known by name only, so that memory follows the context and not the
 *  length of the session. */
export class RecordIndex implements TailConsumer {
  private readonly lines = new Map<string, TranscriptLine>();
  private readonly appends = new Map<string, readonly TranscriptRecord[]>();
  private readonly batches = new BatchReader<{ readonly line: TranscriptLine }>({
    whole: (lines) => {
      this.endsBroken = false;
      this.add(lines.map((item) => item.line));
    },
    broken: (lines) => {
      this.endsBroken = true;
      this.addUnkeyed(lines.map((item) => item.line));
    },
  });
  /** uuids and keys of what is in the file only. */
  private readonly archived = new Set<string>();
  /** uuid of the last record of the main chain. */
  leaf: string | null = null;
  /** Behind the last line, as far as they were read, that belongs to a whole append or to none. */
  soundEnd = 0;
  /** true: what lies behind that is the rest of an append whose beginning is lost, or garbled. */
  endsBroken = false;
  /** true: the last line has no newline; whoever appends writes it first. */
  needsNewline = false;

  constructor(
    private readonly path: string,
    /** true: nothing is archived. */
    public keepsAll = false,
    private readonly cure = 'Run `everloop doctor --repair` to make the transcript readable up to the gap.',
  ) {}

  reset(): void {
    this.lines.clear();
    this.appends.clear();
    this.archived.clear();
    this.batches.rewind();
    this.leaf = null;
    this.soundEnd = 0;
    this.endsBroken = false;
    this.needsNewline = false;
  }

  rewind(): void {
    this.batches.rewind();
  }

  line(line: Line): 'settled' | 'wait' | 'unreadable' {
    const parsed = fromTranscriptText(line.text);
    if (parsed === undefined) {
      if (!line.isTerminated) return 'wait';
      this.batches.interrupt();
      this.endsBroken = true;
      return 'unreadable';
    }
    if (!this.batches.read({ line: parsed })) return 'wait';
    // A rest that parses is a whole line: no part of a JSON object is one. Other programs may end a file so.
    this.needsNewline = !line.isTerminated;
    if (!this.endsBroken) this.soundEnd = line.end;
    return 'settled';
  }

  /** All lines of one append, or lines that belong to none. */
  add(lines: readonly TranscriptLine[]): void {
    this.addUnkeyed(lines);
    const key = lines[0]?.append?.key;
    if (key === undefined || this.appends.has(key) || this.archived.has(key)) return;
    this.appends.set(
      key,
      lines.flatMap((line) => line.record ?? []),
    );
  }

  knows(uuid: string): boolean {
    return this.lines.has(uuid) || this.archived.has(uuid);
  }

  find(uuid: string): TranscriptRecord | typeof ARCHIVED | undefined {
    if (this.archived.has(uuid)) return ARCHIVED;
    return this.lines.get(uuid)?.record ?? undefined;
  }

  /** uuids of the records that are no side chain, in the order of the file. */
  mainChain(): string[] {
    return [...this.lines.values()].flatMap(({ record }) =>
      record === null || isSidechain(record) ? [] : record.uuid,
    );
  }

  appended(key: string): readonly TranscriptRecord[] | typeof ARCHIVED | undefined {
    return this.archived.has(key) ? ARCHIVED : this.appends.get(key);
  }

  /** Fails: StoreError `record_missing`, `damaged`. */
  chain(leaf: string): readonly TranscriptRecord[] | typeof ARCHIVED {
    const chain: TranscriptRecord[] = [];
    let steps = 0;
    for (let uuid: string | null = leaf, child = ''; uuid !== null; steps += 1) {
      if (this.archived.has(uuid)) return ARCHIVED;
      const line = this.lines.get(uuid);
      if (line === undefined) throw this.missing(uuid, child);
      if (steps > this.lines.size) throw this.circular(leaf);
      if (line.record !== null) chain.push(line.record);
      if (isBoundary(line.record)) break;
      child = uuid;
      uuid = line.parentUuid;
    }
    return withParallelCalls(chain.reverse(), () => this.records());
  }

  private *records(): Generator<TranscriptRecord> {
    for (const { record } of this.lines.values()) if (record !== null) yield record;
  }

  private addUnkeyed(lines: readonly TranscriptLine[]): void {
    for (const line of lines) {
      if (line.uuid === null) continue;
      if (!this.knows(line.uuid)) this.lines.set(line.uuid, line);
      if (isBoundary(line.record)) this.archiveBefore(line.record);
      if (line.record !== null && !isSidechain(line.record)) this.leaf = line.uuid;
    }
  }

  /** Only the boundary's own ancestors: other branches and other agents' conversations go on. */
  private archiveBefore(boundary: TranscriptRecord | null): void {
    if (this.keepsAll || boundary?.type !== 'system') return;
    for (let uuid = boundary.logicalParentUuid ?? null; uuid !== null;) {
      const line = this.lines.get(uuid);
      if (line === undefined) return;
      this.lines.delete(uuid);
      this.archived.add(uuid);
      if (line.append !== null && this.appends.delete(line.append.key)) {
        this.archived.add(line.append.key);
      }
      uuid = line.parentUuid;
    }
  }

  private missing(uuid: string, child: string): StoreError {
    const role = child === '' ? 'It was named as the leaf' : `It is the parent of ${child}`;
    return new StoreError(
      'record_missing',
      `Record ${uuid} is not in ${this.path}. ${role}. ${this.cure}`,
    );
  }

  private circular(leaf: string): StoreError {
    return new StoreError(
      'damaged',
      `The chain of ${leaf} in ${this.path} runs in a circle. ${this.cure}`,
    );
  }
}

/** Claude Code leaves the field out of some lines. */
function isSidechain(record: Partial<TranscriptRecord>): boolean {
  return record.isSidechain === true;
}
