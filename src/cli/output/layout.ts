import { loadWidthOf, type WidthOf } from '../../progress/text-width';
import { coloursOf, createTheme, type Theme } from '../../terminal/theme';
import type { OutputStream } from './output-stream';

/** The terminal that a text is laid out for. */
export interface Layout {
  /** Characters in a line. */
  readonly columns: number;
  readonly theme: Theme;
  readonly widthOf: WidthOf;
  /** ms since the epoch: what times are told against. */
  readonly nowMs: number;
}

/** null: it goes to a file or a program, which has no width and is read later. */
export async function layoutOf(
  stdout: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Layout | null> {
  const { columns } = stdout;
  if (columns === null) return null;
  const theme = createTheme(coloursOf(environment));
  return { columns, theme, widthOf: await loadWidthOf(), nowMs: Date.now() };
}
