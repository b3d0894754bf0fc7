import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Room for the longest note: a Workflow id has 1,000 bytes at most, and a task token repeats it in base64.
 *  Slots that are not used cost no disk. */
const SLOT_BYTES = 4_096;
const NEWLINE = '\n';

/** Short lines that come and go, in one open file: a line costs one write at its offset, and one more to take it
 *  away, where a file for each would cost a name that is made and removed. No fsync: what is written outlives
 *  the process, not the machine. */
export class SlotFile {
  private readonly fd: number;
  private readonly free: number[] = [];
  private used = 0;
  private isClosed = false;

  constructor(path: string) {
    this.fd = openSync(path, 'w', 0o600);
  }

  /** Somebody has removed the file: nobody will read what is written into it. */
  get isGone(): boolean {
    return this.isClosed || fstatSync(this.fd).nlink === 0;
  }

  /** Returns the slot in which the line lies. */
  put(line: string): number {
    const slot = this.free.pop() ?? this.used++;
    this.replace(slot, line);
    return slot;
  }

  replace(slot: number, line: string): void {
    this.write(slot, line + NEWLINE);
  }

  blank(slot: number): void {
    if (this.isClosed) return;
    this.write(slot, NEWLINE);
    this.free.push(slot);
  }

  close(): void {
    if (!this.isClosed) closeSync(this.fd);
    this.isClosed = true;
  }

  private write(slot: number, text: string): void {
    if (Buffer.byteLength(text) > SLOT_BYTES) {
      throw new Error(`A note of ${text.length} characters does not fit into ${SLOT_BYTES} bytes.`);
    }
    writeSync(this.fd, text, slot * SLOT_BYTES);
  }
}

/** Lines of all slots that are in use. A slot whose writer died in the middle may hold half a line. */
export function readSlots(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += SLOT_BYTES) {
    const slot = bytes.subarray(start, start + SLOT_BYTES);
    const end = slot.indexOf(NEWLINE);
    if (end > 0) lines.push(slot.toString('utf8', 0, end));
  }
  return lines;
}
