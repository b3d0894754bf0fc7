import { createHash } from 'node:crypto';
import path from 'node:path';
import { disk } from '../../disk/disk';
import type { BackgroundShell } from './background-shell';
import type { ByteRange } from './command-output';

/** The part of a shell's output that nobody has looked at, as the one of this call: a later attempt of the same
 *  call gets the same part, every other call the next one. Kept in a file, one line a look: "CALL FROM TO". */
export async function takeUnread(shell: BackgroundShell, callFolder: string): Promise<ByteRange> {
  const file = path.join(shell.folder, 'looks');
  const call = createHash('sha256').update(callFolder).digest('hex').slice(0, 16);
  const looks = parseLooks(await disk.readFile(file, 'utf8').catch(() => ''));
  const earlier = looks.find((look) => look.call === call);
  if (earlier !== undefined) return earlier;
  const to = await endOfText(shell.command.files.output);
  const from = Math.min(looks.at(-1)?.to ?? 0, to);
  // Behind a line end of its own: the line before may have been cut off by a crash.
  await disk.appendFile(file, `\n${call} ${from} ${to}\n`, { mode: 0o600, flush: true });
  return { from, to };
}

/** Where the output ends now, without the first bytes of a character whose last ones are still to come. */
async function endOfText(file: string): Promise<number> {
  const handle = await disk.open(file, 'r');
  try {
    const { size } = await handle.stat();
    const tail = Buffer.alloc(Math.min(3, size));
    await handle.read(tail, 0, tail.length, size - tail.length);
    const lead = tail.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
    const isWhole = lead < 0 || lead + lengthOf(tail[lead] ?? 0) <= tail.length;
    return isWhole ? size : size - tail.length + lead;
  } finally {
    await handle.close();
  }
}

/** Bytes of the character that begins with this one. */
function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

interface Look extends ByteRange {
  readonly call: string;
}

/** A line that a crash has cut off is no look. */
function parseLooks(text: string): readonly Look[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [, call = '', from, to] = /^([0-9a-f]{16}) (\d+) (\d+)$/.exec(line) ?? [];
      return call === '' ? [] : [{ call, from: Number(from), to: Number(to) }];
    });
}
