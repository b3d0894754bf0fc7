import { disk } from '../../disk/disk';
import type { ToolUseRef } from '../../loop/context';
import type { FileChange, FilesFound, LedgerEvent, TrackedFile } from '../file-history';
import type { ApiFailure, CallResult, Intent, Lease, Ledger, LedgerEntry } from '../store';
import { StoreError } from '../store-error';
import { AppendFile } from './append-file';
import { toStoreError } from './disk-error';
import { FileTail } from './file-tail';
import type { Fence, LeaseFolder } from './lease-folder';
import {
  fromLedgerText,
  LedgerIndex,
  toLedgerEvent,
  type LedgerLine,
  type Place,
} from './ledger-index';
import { readLines } from './line-reader';
import { Serial } from './serial';

/** The ledger of one session: an append-only file beside the transcript. */
export class FileLedger implements Ledger {
  private readonly index = new LedgerIndex();
  private readonly tail: FileTail;
  private readonly file: AppendFile;
  private readonly writes = new Serial();

  constructor(
    readonly path: string,
    private readonly leases: LeaseFolder,
    tornFolder: string,
  ) {
    this.tail = new FileTail(path, this.index);
    this.file = new AppendFile(path, { tornFolder, keepsWholeLines: false });
  }

  async find(call: ToolUseRef): Promise<LedgerEntry | undefined> {
    if (!this.file.isSettled) await this.settled();
    const known = await this.known(call);
    if (known === undefined) return undefined;
    const result = known.result && this.readResult(known.result);
    if (known.intent !== undefined) return { intent: known.intent, ...(result && { result }) };
    return result && { intent: null, result };
  }

  async recordIntent(lease: Lease, call: ToolUseRef, intent: Intent): Promise<void> {
    await this.writes.run(async () => {
      this.leases.fence(lease)();
      await this.file.settle();
      const known = await this.known(call);
      if (known !== undefined) throw this.alreadyIntended(call, known.intent);
      await this.write(lease, { type: 'intent', call, intent }, intent.durable !== false);
    });
  }

  recordResult(lease: Lease, call: ToolUseRef, result: CallResult): Promise<CallResult> {
    return this.writes.run(async () => {
      this.leases.fence(lease)();
      await this.file.settle();
      const first = (await this.known(call))?.result;
      if (first !== undefined) return this.readResult(first);
      await this.write(lease, { type: 'result', call, result }, true);
      return result;
    });
  }

  failures(key: string): Promise<readonly ApiFailure[]> {
    return this.tail.look(() => this.index.failures(key));
  }

  async recordFailure(lease: Lease, key: string, failure: ApiFailure): Promise<void> {
    await this.writes.run(() => this.write(lease, { type: 'failure', key, failure }, true));
  }

  async recordChange(lease: Lease, call: ToolUseRef, change: FileChange): Promise<void> {
    await this.once(lease, { type: 'change', call, change }, () =>
      this.index.knowsChange(call, change.path),
    );
  }

  async recordFound(lease: Lease, found: FilesFound): Promise<void> {
    await this.once(lease, { type: 'found', found }, () => this.index.knowsLook(found.at));
  }

  trackedFiles(): Promise<ReadonlyMap<string, TrackedFile>> {
    return this.tail.look(() => this.index.trackedFiles());
  }

  async events(): Promise<readonly LedgerEvent[]> {
    await this.settled();
    if (!disk.existsSync(this.path)) return [];
    const events: LedgerEvent[] = [];
    try {
      for await (const lines of readLines(this.path)) {
        for (const { text, isTerminated } of lines) {
          const line = isTerminated ? fromLedgerText(text) : undefined;
          const event = line && toLedgerEvent(line);
          if (event !== undefined) events.push(event);
        }
      }
    } catch (error) {
      throw toStoreError(error, 'read', this.path);
    }
    return events;
  }

  /** For the next lease holder. */
  async cutTornTail(fence: Fence): Promise<void> {
    await this.writes.run(() => this.file.cutHalfLine(fence));
  }

  async drained(): Promise<void> {
    await this.writes.drained();
  }

  /** Fails: StoreError when a failed append can still not be taken back. */
  async settled(): Promise<void> {
    await this.writes.run(() => this.file.settle());
  }

  async rest(): Promise<void> {
    await this.writes.run(async () => {
      this.file.close();
      await this.tail.forget();
    });
  }

  private async once(lease: Lease, line: LedgerLine, isKnown: () => boolean): Promise<void> {
    await this.writes.run(async () => {
      this.leases.fence(lease)();
      await this.file.settle();
      if (!(await this.tail.look(isKnown))) await this.write(lease, line, true);
    });
  }

  private known(call: ToolUseRef) {
    return this.tail.look(() => this.index.find(call));
  }

  private async write(lease: Lease, line: LedgerLine, durable: boolean): Promise<void> {
    const fence = this.leases.fence(lease);
    await this.file.cutHalfLine(fence);
    const text = `${JSON.stringify(line)}\n`;
    const start = await this.file.append(fence, { text, durable });
    const end = start + Buffer.byteLength(text);
    await this.tail.advance(start, end - start, () => this.index.add(line, { start, end }));
  }

  /** Synchronous: it was written lately, mostly, and three trips through the thread pool cost more. */
  private readResult({ start, end }: Place): CallResult {
    try {
      const fd = disk.openSync(this.path, 'r');
      try {
        const bytes = Buffer.alloc(end - start);
        disk.readSync(fd, bytes, 0, bytes.length, start);
        const line = fromLedgerText(bytes.toString());
        if (line?.type === 'result') return line.result;
      } finally {
        disk.closeSync(fd);
      }
    } catch (error) {
      throw toStoreError(error, 'read', this.path);
    }
    throw new StoreError(
      'damaged',
      `${this.path} holds no result at byte ${start} although it did before. Restart the Worker; if it stays so, run \`everloop doctor\`.`,
    );
  }

  private alreadyIntended(call: ToolUseRef, intent: Intent | undefined): StoreError {
    const by =
      intent === undefined
        ? 'it has ended without one'
        : `attempt ${intent.attempt} of ${intent.tool} wrote it at ${intent.at}`;
    return new StoreError(
      'intent_exists',
      `Call ${call.id} of record ${call.recordId} has an intent in ${this.path} already: ${by}. Look at the ledger entry before running the call again.`,
    );
  }
}
