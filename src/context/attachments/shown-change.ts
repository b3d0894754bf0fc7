import { patchBetween } from '../../tools/patch';

/** A change of a file as the model is shown it. */
export interface ShownChange {
  readonly text: string;
  /** false: cut. */
  readonly isWhole: boolean;
}

/** The lines that differ, headed as in a unified diff, in at most so many characters. */
export function showChange(
  file: string,
  change: { readonly before: string; readonly after: string },
  limitChars: number,
): ShownChange {
  const [hunk] = patchBetween(change.before, change.after);
  if (hunk === undefined) return { text: `${file}: only the end of its last line`, isWhole: false };
  const heading = `--- ${file}\n@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
  const lines: string[] = [];
  let left = limitChars - heading.length;
  for (const line of hunk.lines) {
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  // The hunk itself leaves out what is beyond its own limit.
  const isWhole = countOf(lines, '+') === hunk.newLines && countOf(lines, '-') === hunk.oldLines;
  const note = isWhole ? [] : ['[cut: read the file for the rest]'];
  return { text: [heading, ...lines, ...note].join('\n'), isWhole };
}

/** The text after a change that was shown whole; null: the text tells of no such change. */
export function applyShownChange(before: string, shown: string, file: string): string | null {
  const start = shown.indexOf(`--- ${file}\n@@ -`);
  if (start === -1) return null;
  const [, heading = '', ...below] = shown.slice(start).split('\n');
  const numbers = /^@@ -(\d+),(\d+) \+\d+,(\d+) @@$/.exec(heading);
  if (numbers === null) return null;
  const [oldStart = 0, oldLines = 0, newLines = 0] = numbers.slice(1).map(Number);
  let end = 0;
  while (
    countOf(below.slice(0, end), '-') < oldLines ||
    countOf(below.slice(0, end), '+') < newLines
  ) {
    if (end++ >= below.length) return null;
  }
  const now = below.slice(0, end).filter((line) => !line.startsWith('-'));
  const lines = before.split('\n');
  lines.splice(oldStart - 1, oldLines, ...now.map((line) => line.slice(1)));
  // The last line's end is not shown.
  return lines.join('\n').replace(/\n$/, '');
}

/** Lines of one side: what both sides share counts for both. */
function countOf(lines: readonly string[], side: '+' | '-'): number {
  return lines.filter((line) => line.startsWith(' ') || line.startsWith(side)).length;
}
