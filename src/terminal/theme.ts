/** How parts of the screen are set apart. Without colours every function returns its text as it is, but for weight:
 *  bold, dim and inverse are no colours. */
export interface Theme {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strikethrough: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly code: Paint;
  readonly added: Paint;
  readonly removed: Paint;
}

export type Paint = (text: string) => string;

/** `plain`: a terminal that understands no sequences at all. */
export type Colours = 'plain' | 'none' | 'all';

/** What the terminal of this environment can show: NO_COLOR (https://no-color.org) takes colours only. */
export function coloursOf(environment: Readonly<Record<string, string | undefined>>): Colours {
  if (isDumb(environment)) return 'plain';
  return (environment['NO_COLOR'] ?? '') === '' ? 'all' : 'none';
}

export function isDumb({ TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return TERM === undefined || TERM === '' || TERM === 'dumb';
}

export function createTheme(colours: Colours): Theme {
  const weight = (open: number, close: number): Paint => sequence(open, close, colours !== 'plain');
  const colour = (open: number): Paint => sequence(open, 39, colours === 'all');
  return {
    bold: weight(1, 22),
    dim: weight(2, 22),
    italic: weight(3, 23),
    underline: weight(4, 24),
    strikethrough: weight(9, 29),
    accent: colour(36),
    good: colour(32),
    warning: colour(33),
    bad: colour(31),
    code: colour(35),
    added: colour(32),
    removed: colour(31),
  };
}

function sequence(open: number, close: number, isOn: boolean): Paint {
  if (!isOn) return (text) => text;
  return (text) => (text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`);
}
