import { cutEnd, cutStart, padEnd } from '../../progress/fit';
import type { WidthOf } from '../../progress/text-width';
import type { Paint } from '../../terminal/theme';

export interface Column {
  readonly title: string;
  /** Which side gives way where the line is too long; absent: neither does. */
  readonly cut?: 'start' | 'end';
  /** What is always left of a column that is cut. */
  readonly least?: number;
}

export interface Cell {
  readonly text: string;
  readonly paint?: Paint;
}

const BETWEEN = '  ';

/** Lines of aligned columns, titles first. `columns`: width of the terminal; null: nothing is cut. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  of: { readonly columns: number | null; readonly widthOf: WidthOf },
): readonly string[] {
  const { widthOf } = of;
  const titles = columns.map(({ title }) => ({ text: title }));
  const all: readonly (readonly Cell[])[] = [titles, ...rows];
  const natural = columns.map((_column, index) =>
    Math.max(...all.map((row) => widthOf(row[index]?.text ?? ''))),
  );
  const widths = of.columns === null ? natural : narrowed(natural, columns, of.columns);
  return all.map((row) =>
    columns
      .map(({ cut }, index) => {
        const { text = '', paint = (plain: string) => plain } = row[index] ?? {};
        const width = widths[index] ?? 0;
        const shown = (cut === 'start' ? cutStart : cutEnd)(text, width, widthOf);
        const isLast = index === columns.length - 1;
        const behind = isLast ? '' : padEnd(shown, width, widthOf).slice(shown.length);
        return `${paint(shown)}${behind}`;
      })
      .join(BETWEEN),
  );
}

/** The widest of those that may be cut gives way first. */
function narrowed(
  natural: readonly number[],
  columns: readonly Column[],
  available: number,
): readonly number[] {
  const widths = [...natural];
  const between = BETWEEN.length * (columns.length - 1);
  let over = widths.reduce((sum, width) => sum + width, between) - available;
  for (; over > 0; over -= 1) {
    const widest = columns.reduce<number | null>((best, { cut, least = 1 }, index) => {
      const width = widths[index] ?? 0;
      if (cut === undefined || width <= least) return best;
      return best === null || width > (widths[best] ?? 0) ? index : best;
    }, null);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
