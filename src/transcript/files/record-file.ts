import { stamp } from '../append-stamp';
import type { TranscriptRecord } from '../record';
import { StoreError } from '../store-error';
import { AppendFile } from './append-file';
import { lookAt } from './file-identity';
import { FileTail } from './file-tail';
import type { Fence } from './lease-folder';
import { ARCHIVED, RecordIndex } from './record-index';
import { Serial } from './serial';

/** A transcript file: reads come from an index in memory, an append is one line a record in one write. */
export class RecordFile {
  private readonly index: RecordIndex;
  private readonly tail: FileTail;
  private readonly file: AppendFile;
  private readonly writes = new Serial();
  /** Set to true by whoever wants to know whether anybody reads or writes from then on. */
  isIdle = false;

  constructor(
    readonly path: string,
    tornFolder: string,
  ) {
    this.index = new RecordIndex(path);
    this.tail = new FileTail(path, this.index);
    this.file = new AppendFile(path, { tornFolder, keepsWholeLines: false });
  }

  lastLeaf(): Promise<string | null> {
    return this.look(() => this.index.leaf);
  }

  find(uuid: string): Promise<TranscriptRecord | undefined> {
    return this.lookUp((index) => index.find(uuid));
  }

  /** A context that reaches behind a boundary is another branch: whoever works on it needs all of the file. */
  async chain(leaf: string): Promise<readonly TranscriptRecord[]> {
    const chain = await this.look(() => this.index.chain(leaf));
    if (chain !== ARCHIVED) return chain;
    this.index.keepsAll = true;
    await this.tail.forget();
    return this.lookUp((index) => index.chain(leaf));
  }

  appended(key: string): Promise<readonly TranscriptRecord[] | undefined> {
    return this.lookUp((index) => index.appended(key));
  }

  append(
    fence: Fence,
    key: string,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]> {
    return this.writes.run(async () => {
      fence();
      await this.file.settle();
      const there = await this.appended(key);
      if (there !== undefined || records.length === 0) return there ?? [];
      this.refuseKnown(records);
      await this.cutTail(fence);
      return this.write(fence, stamp(key, records));
    });
  }

  /** Cuts off half a line or half an append that a crash has left at the end. A power cut may have taken the
   *  first half and left the second. */
  async cutTornTail(fence: Fence): Promise<void> {
    await this.writes.run(async () => {
      await this.file.settle();
      await this.tail.forget();
      await this.lastLeaf();
      await this.cutTail(fence);
      if (this.index.endsBroken) await this.file.cut(fence, this.index.soundEnd);
    });
  }

  async drained(): Promise<void> {
    await this.writes.drained();
  }

  /** Fails: StoreError when a failed append can still not be taken back. */
  async settled(): Promise<void> {
    await this.writes.run(() => this.file.settle());
  }

  /** Gives memory and file descriptors back; the next use gets them again. */
  async rest(): Promise<void> {
    await this.writes.run(async () => {
      this.file.close();
      await this.tail.forget();
    });
  }

  /** What is archived is read from the file, for once: few ever ask. */
  private async lookUp<T>(into: (index: RecordIndex) => T | typeof ARCHIVED): Promise<T> {
    const found = await this.look(() => into(this.index));
    if (found !== ARCHIVED) return found;
    const whole = new RecordIndex(this.path, true);
    const read = await new FileTail(this.path, whole).look(() => into(whole));
    if (read !== ARCHIVED) return read;
    throw new Error(`${this.path}: an index that keeps all has archived something.`);
  }

  private async look<T>(into: () => T): Promise<T> {
    this.isIdle = false;
    if (!this.file.isSettled) await this.settled();
    return this.tail.look(into);
  }

  private async write(
    fence: Fence,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]> {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const text = this.index.needsNewline ? `\n${lines}` : lines;
    const start = await this.file.append(fence, { text, durable: true });
    await this.tail.advance(start, Buffer.byteLength(text), () => {
      this.index.needsNewline = false;
      this.index.add(records.map(toLine));
    });
    return records;
  }

  private async cutTail(fence: Fence): Promise<void> {
    if (lookAt(this.path).size > this.tail.end) await this.file.cut(fence, this.tail.end);
  }

  private refuseKnown(records: readonly TranscriptRecord[]): void {
    for (const { uuid } of records) {
      if (!this.index.knows(uuid)) continue;
      throw new StoreError(
        'record_exists',
        `Record ${uuid} is in ${this.path} already, written by another append. Chain behind it instead of writing it again.`,
      );
    }
  }
}

function toLine(record: TranscriptRecord) {
  const { key, batch } = record.everloop ?? {};
  const append = key !== undefined && batch !== undefined ? { key, batch } : null;
  return { uuid: record.uuid, parentUuid: record.parentUuid, record, append };
}
