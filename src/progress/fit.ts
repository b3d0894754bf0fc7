import type { WidthOf } from './text-width';

const CUT = '…';

/** The text in so many columns at most; a cut shows as "…". Only whole characters are left, as a reader counts them. */
export function cutEnd(text: string, columns: number, widthOf: WidthOf): string {
  if (widthOf(text) <= columns) return text;
  return columns < 1 ? '' : `${taken(charactersOf(text), columns - 1, widthOf).join('')}${CUT}`;
}

/** As `cutEnd`, but the end is what stays: of a path it says most. */
export function cutStart(text: string, columns: number, widthOf: WidthOf): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  return `${CUT}${taken(charactersOf(text).reverse(), columns - 1, widthOf)
    .reverse()
    .join('')}`;
}

export const padEnd = (text: string, columns: number, widthOf: WidthOf): string =>
  `${text}${' '.repeat(Math.max(0, columns - widthOf(text)))}`;

/** The text on lines of so many columns, broken between words where there are any. */
export function fold(text: string, columns: number, widthOf: WidthOf): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (widthOf(rest) > columns) {
    const line = taken(charactersOf(rest), Math.max(1, columns), widthOf).join('');
    // A single character may be wider than the line.
    const most = line === '' ? (charactersOf(rest)[0] ?? '') : line;
    const space = rest[most.length] === ' ' ? most.length : most.lastIndexOf(' ');
    const end = space > 0 ? space : most.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

function taken(characters: readonly string[], columns: number, widthOf: WidthOf): string[] {
  const kept: string[] = [];
  let left = columns;
  for (const character of characters) {
    left -= widthOf(character);
    if (left < 0) break;
    kept.push(character);
  }
  return kept;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const charactersOf = (text: string): string[] =>
  [...SEGMENTER.segment(text)].map(({ segment }) => segment);
