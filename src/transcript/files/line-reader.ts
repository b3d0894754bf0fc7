import { disk } from '../../disk/disk';

const CHUNK_BYTES = 1 << 20;
/** How far a follower may be ahead of a slow consumer. */
const FOLLOW_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface Line {
  readonly text: string;
  /** Byte offset of its first byte. */
  readonly start: number;
  /** Byte offset behind its newline, or behind its last byte if there is none. */
  readonly end: number;
  /** false: the file ends here without a newline. */
  readonly isTerminated: boolean;
}

/** The lines between two byte offsets, read in chunks; an unterminated rest comes last. Empty lines are left out. */
export async function* readLines(path: string, from = 0, to = Infinity): AsyncGenerator<Line[]> {
  const file = await disk.open(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    let restStart = from;
    for (;;) {
      const position = restStart + rest.length;
      const wanted = Math.min(CHUNK_BYTES, to - position);
      const chunk = Buffer.allocUnsafe(Math.max(0, wanted));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const { lines, used } = splitLines(bytes, restStart);
      yield lines;
      rest = bytes.subarray(used);
      restStart += used;
    }
    if (rest.length > 0) {
      const end = restStart + rest.length;
      yield [{ text: rest.toString(), start: restStart, end, isTerminated: false }];
    }
  } finally {
    await file.close();
  }
}

/** Whole lines at the beginning of `bytes`, which lie at offset `at` of their file. */
export function splitLines(bytes: Buffer, at: number): { lines: Line[]; used: number } {
  const lines: Line[] = [];
  let used = 0;
  for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, used)) {
    if (newline > used) {
      const text = bytes.toString('utf8', used, newline);
      lines.push({ text, start: at + used, end: at + newline + 1, isTerminated: true });
    }
    used = newline + 1;
  }
  return { lines, used };
}

/** Offset behind the last newline of an open file: where its whole lines end. */
export function endOfLines(fd: number): number {
  let end = disk.fstatSync(fd).size;
  // Nearly always the last byte is one; only then look through more.
  for (let size = 1; end > 0; size = FOLLOW_BYTES) {
    const bytes = Buffer.allocUnsafe(Math.min(size, end));
    const start = end - bytes.length;
    disk.readSync(fd, bytes, 0, bytes.length, start);
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

/** Some whole lines behind an offset: 64 KiB at most, or one line if that is longer. */
export function readChunk(fd: number, offset: number): { lines: Line[]; used: number } {
  for (let size = FOLLOW_BYTES; ; size *= 2) {
    const bytes = Buffer.allocUnsafe(Math.min(size, Math.max(0, disk.fstatSync(fd).size - offset)));
    const length = disk.readSync(fd, bytes, 0, bytes.length, offset);
    const { lines, used } = splitLines(bytes.subarray(0, length), offset);
    if (used > 0 || length < size) return { lines, used };
  }
}
