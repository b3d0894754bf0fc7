import { readFileSync } from 'node:fs';
import { disk } from '../disk/disk';

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
    this.fd = disk.openSync(path, 'w', 0o600);
  }

  /** Somebody has removed the file: nobody will read what is written into it. */
  get isGone(): boolean {
    return this.isClosed || disk.fstatSync(this.fd).nlink === 0;
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
    if (!this.isClosed) disk.closeSync(this.fd);
    this.isClosed = true;
  }

  private write(slot: number, text: string): void {
    if (Buffer.byteLength(text) > SLOT_BYTES) {
      throw new Error(`A note of ${text.length} characters does not fit into ${SLOT_BYTES} bytes.`);
    }
    disk.writeSync(this.fd, text, slot * SLOT_BYTES);
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

/** The line of the first slot, whatever else the file holds; undefined: it is not there yet. */
export function readFirstSlot(path: string): string | undefined {
  const fd = disk.openSync(path, 'r');
  try {
    const slot = Buffer.alloc(SLOT_BYTES);
    disk.readSync(fd, slot, 0, SLOT_BYTES, 0);
    const end = slot.indexOf(NEWLINE);
    return end > 0 ? slot.toString('utf8', 0, end) : undefined;
  } finally {
    disk.closeSync(fd);
  }
}
