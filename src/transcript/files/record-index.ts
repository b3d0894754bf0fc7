import type { TranscriptRecord } from '../record';
import { StoreError } from '../store-error';
import { BatchReader } from './batch-reader';
import type { TailConsumer } from './file-tail';
import type { Line } from './line-reader';
import { fromTranscriptText, isBoundary, type TranscriptLine } from './transcript-line';

/** What is in a transcript, in memory. Where a uuid occurs twice, the first record counts: records never change. */
export class RecordIndex implements TailConsumer {
  private readonly lines = new Map<string, TranscriptLine>();
  private readonly appends = new Map<string, readonly TranscriptRecord[]>();
  private readonly batches = new BatchReader<{ readonly line: TranscriptLine }>({
    whole: (lines) => this.add(lines.map((item) => item.line)),
    broken: (lines) => this.addUnkeyed(lines.map((item) => item.line)),
  });
  /** uuid of the last record of the main chain. */
  leaf: string | null = null;
  /** true: the last line has no newline; whoever appends writes it first. */
  needsNewline = false;

  constructor(private readonly path: string) {}

  reset(): void {
    this.lines.clear();
    this.appends.clear();
    this.batches.rewind();
    this.leaf = null;
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
      return 'unreadable';
    }
    if (!this.batches.read({ line: parsed })) return 'wait';
    // A rest that parses is a whole line: no part of a JSON object is one. Other programs may end a file so.
    this.needsNewline = !line.isTerminated;
    return 'settled';
  }

  /** All lines of one append, or lines that belong to none. */
  add(lines: readonly TranscriptLine[]): void {
    this.addUnkeyed(lines);
    const key = lines[0]?.append?.key;
    if (key === undefined || this.appends.has(key)) return;
    this.appends.set(
      key,
      lines.flatMap((line) => line.record ?? []),
    );
  }

  find(uuid: string): TranscriptRecord | undefined {
    return this.lines.get(uuid)?.record ?? undefined;
  }

  /** uuids of the records that are no side chain, in the order of the file. */
  mainChain(): string[] {
    return [...this.lines.values()].flatMap(({ record }) =>
      record === null || isSidechain(record) ? [] : record.uuid,
    );
  }

  appended(key: string): readonly TranscriptRecord[] | undefined {
    return this.appends.get(key);
  }

  chain(leaf: string): readonly TranscriptRecord[] {
    const chain: TranscriptRecord[] = [];
    let steps = 0;
    for (let uuid: string | null = leaf, child = ''; uuid !== null; steps += 1) {
      const line = this.lines.get(uuid);
      if (line === undefined) throw this.missing(uuid, child);
      if (steps > this.lines.size) throw this.circular(leaf);
      if (line.record !== null) chain.push(line.record);
      if (isBoundary(line.record)) break;
      child = uuid;
      uuid = line.parentUuid;
    }
    return chain.reverse();
  }

  private addUnkeyed(lines: readonly TranscriptLine[]): void {
    for (const line of lines) {
      if (line.uuid === null) continue;
      if (!this.lines.has(line.uuid)) this.lines.set(line.uuid, line);
      if (line.record !== null && !isSidechain(line.record)) this.leaf = line.uuid;
    }
  }

  private missing(uuid: string, child: string): StoreError {
    const role = child === '' ? 'It was named as the leaf' : `It is the parent of ${child}`;
    return new StoreError(
      'record_missing',
      `Record ${uuid} is not in ${this.path}. ${role}. Run \`everloop doctor --repair\` to make the transcript readable up to the gap.`,
    );
  }

  private circular(leaf: string): StoreError {
    return new StoreError(
      'damaged',
      `The chain of ${leaf} in ${this.path} runs in a circle. Run \`everloop doctor --repair\`.`,
    );
  }
}

/** Claude Code leaves the field out of some lines. */
function isSidechain(record: Partial<TranscriptRecord>): boolean {
  return record.isSidechain === true;
}
