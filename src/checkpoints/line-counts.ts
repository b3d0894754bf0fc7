export interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/** Beyond so many differences the exact number tells nobody more. */
const MOST_EDITS = 2_000;

/** Lines that have to be added and removed, at least, to make one text of the other (E. Myers, "An O(ND) Difference
 *  Algorithm", 1986). null: there is no file. Bytes that are no text count no lines. */
export function lineCounts(before: Buffer | null, after: Buffer | null): LineCounts {
  if (isBinary(before) || isBinary(after)) return { insertions: 0, deletions: 0 };
  const [old, now] = withoutCommonEnds(toLines(before), toLines(after));
  const edits = editDistance(old, now) ?? old.length + now.length;
  // Each edit adds a line or removes one, and together they make up the difference in length.
  const grown = now.length - old.length;
  return { insertions: (edits + grown) / 2, deletions: (edits - grown) / 2 };
}

const isBinary = (bytes: Buffer | null): boolean => bytes?.includes(0) ?? false;

function toLines(bytes: Buffer | null): readonly string[] {
  const lines = (bytes ?? Buffer.alloc(0)).toString('latin1').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function withoutCommonEnds(
  old: readonly string[],
  now: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const head = commonLength(old, now);
  const [oldRest, nowRest] = [old.slice(head), now.slice(head)];
  const tail = commonLength(oldRest.toReversed(), nowRest.toReversed());
  return [oldRest.slice(0, oldRest.length - tail), nowRest.slice(0, nowRest.length - tail)];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const length = one.findIndex((line, index) => line !== other[index]);
  return length === -1 ? one.length : length;
}

/** null: more than is worth counting. */
function editDistance(old: readonly string[], now: readonly string[]): number | null {
  const furthest = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MOST_EDITS, old.length + now.length); edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = furthest.get(diagonal + 1) ?? -1;
      const right = (furthest.get(diagonal - 1) ?? -1) + 1;
      const goesDown = diagonal === -edits || (diagonal !== edits && right <= down);
      let x = goesDown ? down : right;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return edits;
    }
  }
  return null;
}
