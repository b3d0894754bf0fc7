import { disk, type DiskFile } from '../../disk/disk';

/** A part of a command's output, as text that begins and ends with whole characters. */
interface CommandOutput {
  readonly text: string;
  /** null: `text` is all of it. */
  readonly cutFromBytes: number | null;
}

interface OutputLimits {
  readonly wholeChars: number;
  readonly headChars: number;
  readonly tailChars: number;
}

/** `to` is the first byte behind it. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The output, or a part of it: all if it is short, else its first and last part with a line between them that names the file.
 *  Only the parts shown are read. */
export async function readOutput(
  file: string,
  limits: OutputLimits,
  range?: ByteRange,
): Promise<CommandOutput> {
  const handle = await disk.open(file, 'r');
  try {
    const { from, to } = range ?? { from: 0, to: (await handle.stat()).size };
    const size = to - from;
    // No character has more than four bytes.
    if (size <= limits.wholeChars * 4) {
      const text = decode(await readRange(handle, from, size)).replace(/\n+$/, '');
      if (text.length <= limits.wholeChars) return { text, cutFromBytes: null };
    }
    const head = decode(await readRange(handle, from, limits.headChars * 4)).slice(
      0,
      limits.headChars,
    );
    const tailBytes = Math.min(limits.tailChars * 4, size);
    const tail = lastChars(decode(await readRange(handle, to - tailBytes, tailBytes)), limits);
    const notice = `[Output cut: ${size} bytes ${range === undefined ? 'in all' : 'of new output'}. The whole is in ${file}; look at parts of it with head, tail or grep in Bash.]`;
    const parts = [wholeLines(head), notice, tail.replace(/\n+$/, '')];
    return { text: parts.filter((part) => part !== '').join('\n'), cutFromBytes: size };
  } finally {
    await handle.close();
  }
}

/** The last lines, for observers of a running command, and how much there is. */
export async function readTail(
  file: string,
  chars: number,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const handle = await disk.open(file, 'r');
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - chars);
    return { text: decode(await readRange(handle, from, size - from)), bytes: size };
  } finally {
    await handle.close();
  }
}

async function readRange(handle: DiskFile, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** Without the halves of characters at both ends that a cut through the bytes leaves. */
function decode(bytes: Buffer): string {
  let from = 0;
  while (from < Math.min(3, bytes.length) && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from), {
    stream: true,
  });
}

function wholeLines(head: string): string {
  const end = head.lastIndexOf('\n');
  return end > head.length / 2 ? head.slice(0, end) : head;
}

function lastChars(text: string, { tailChars }: OutputLimits): string {
  if (tailChars === 0) return '';
  const tail = text.slice(-tailChars);
  const start = tail.indexOf('\n') + 1;
  return start < tail.length / 2 ? tail.slice(start) : tail;
}
