const CONTEXT_LINES = 3;
const LINES_SHOWN = 200;

/** One hunk of a unified diff, as transcripts carry it: lines begin with ' ', '-' or '+'. */
interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** From the first to the last line that differs, as one hunk; for observers, so long ones are cut. */
export function patchBetween(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  const old = toLines(before);
  const now = toLines(after);
  const head = commonLength(old, now);
  const tail = commonLength(old.slice(head).reverse(), now.slice(head).reverse());
  const from = Math.max(0, head - CONTEXT_LINES);
  const below = Math.min(tail, CONTEXT_LINES);
  const oldEnd = old.length - tail;
  const newEnd = now.length - tail;
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...now.slice(head, newEnd).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + below).map((line) => ` ${line}`),
  ];
  return [
    {
      oldStart: from + 1,
      oldLines: oldEnd + below - from,
      newStart: from + 1,
      newLines: newEnd + below - from,
      lines: lines.slice(0, LINES_SHOWN),
    },
  ];
}

function toLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const length = one.findIndex((line, index) => line !== other[index]);
  return length === -1 ? one.length : length;
}
