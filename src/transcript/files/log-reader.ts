import { disk } from '../../disk/disk';
import { errnoOf, toStoreError } from './disk-error';
import { endOfLines, readChunk, splitLines, type Line } from './line-reader';
import { fromHeaderText, NOWHERE, type LogPlace } from './log-cursor';

const HEADER_BYTES = 64;
const NEWLINE = 0x0a;
/** Stands for the generation of a log whose header is damaged: no header can say it. */
const LOST_HEADER = '?';

/** Some whole lines behind a place, and the place behind them. A place that the file does not know (another
 *  generation, beyond the end, in the middle of a line) counts as the beginning: twice is better than not at all.
 *  Opens the file each time: 20 µs, and a take-over in between needs no care. undefined: there is no log. */
export function readOn(
  path: string,
  from: LogPlace,
): { lines: Line[]; next: LogPlace } | undefined {
  return withFile(path, (fd) => {
    const header = readHeader(fd);
    if (header === undefined) return { lines: [], next: NOWHERE };
    const isKnown = from.generation === header.generation && isLineStart(fd, from.offset);
    const offset = isKnown ? from.offset : header.offset;
    const { lines, used } = readChunk(fd, offset);
    return { lines, next: { generation: header.generation, offset: offset + used } };
  });
}

/** Where the whole lines end. */
export function endOf(path: string): LogPlace {
  const place = withFile(path, (fd) => {
    const header = readHeader(fd);
    return header && { generation: header.generation, offset: endOfLines(fd) };
  });
  return place ?? NOWHERE;
}

function readHeader(fd: number): LogPlace | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const length = disk.readSync(fd, bytes, 0, bytes.length, 0);
  const line = splitLines(bytes.subarray(0, length), 0).lines[0];
  const generation = line && fromHeaderText(line.text);
  if (generation !== undefined) return { generation, offset: line?.end ?? 0 };
  // A power cut may take the header and leave what was written behind it.
  const [first] = readChunk(fd, 0).lines;
  return first && { generation: LOST_HEADER, offset: first.end };
}

function isLineStart(fd: number, offset: number): boolean {
  const byte = Buffer.alloc(1);
  return disk.readSync(fd, byte, 0, 1, offset - 1) === 1 && byte[0] === NEWLINE;
}

function withFile<T>(path: string, read: (fd: number) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = disk.openSync(path, 'r');
    return read(fd);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw toStoreError(error, 'read', path);
  } finally {
    if (fd !== undefined) disk.closeSync(fd);
  }
}
