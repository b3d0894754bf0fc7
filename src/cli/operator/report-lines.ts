import { fold } from '../../progress/fit';
import { redact } from '../../redact/redact';
import type { Layout } from '../output/layout';
import { printable } from './printable';

export type Tone = 'plain' | 'dim' | 'good' | 'warning' | 'bad';

/** `command`: ready to be typed, so that it is never broken. */
export type ReportLine =
  | { readonly type: 'heading' | 'command'; readonly text: string }
  | { readonly type: 'row'; readonly name: string; readonly value: string; readonly tone: Tone };

export const row = (name: string, value: string, tone: Tone = 'plain'): ReportLine => ({
  type: 'row',
  name,
  value,
  tone,
});

export const BLANK: ReportLine = { type: 'heading', text: '' };

const NAME_COLUMNS = 12;
const INDENT = '  ';
/** Where values begin. */
const VALUE_AT = INDENT.length + NAME_COLUMNS + 1;
/** A terminal that leaves less breaks lines by itself. */
const NARROWEST_VALUE = 20;

/** Aligned, without secrets; for a terminal also folded and painted. */
export function reportLines(
  lines: readonly ReportLine[],
  layout: Layout | null,
): readonly string[] {
  return lines.flatMap((line) => {
    switch (line.type) {
      case 'heading':
        return [layout === null ? shown(line.text) : layout.theme.bold(shown(line.text))];
      case 'command':
        return [`${INDENT}${shown(line.text)}`];
      case 'row':
        return rowLines(line, layout);
    }
  });
}

function rowLines(
  { name, value, tone }: Extract<ReportLine, { type: 'row' }>,
  layout: Layout | null,
): readonly string[] {
  const begin = `${INDENT}${name.padEnd(NAME_COLUMNS)} `;
  if (layout === null) return [`${begin}${shown(value)}`];
  const { columns, theme, widthOf } = layout;
  const room = columns - VALUE_AT;
  const parts = room < NARROWEST_VALUE ? [shown(value)] : fold(shown(value), room, widthOf);
  const painted = parts.map((part) => (tone === 'plain' ? part : theme[tone](part)));
  return painted.map((part, index) =>
    index === 0 ? `${theme.dim(begin)}${part}` : `${' '.repeat(VALUE_AT)}${part}`,
  );
}

const shown = (text: string): string => printable(redact(text));
