import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface StoryOptions {
  readonly write: (text: string) => void;
  readonly isColoured: boolean;
  /** ms; only differences count. */
  readonly now: () => number;
}

const WHO_CHARS = 10;
const TIME_CHARS = 7;
const INDENT = ' '.repeat(TIME_CHARS + 2);

/** What people read: who did what, and how many seconds into the demo. */
export class Story {
  readonly #options: StoryOptions;
  readonly #startedAtMs: number;

  constructor(options: StoryOptions) {
    this.#options = options;
    this.#startedAtMs = options.now();
  }

  title(text: string): void {
    this.#line(`\n${this.#styled('bold', text)}\n`);
  }

  /** The text may have several lines. */
  tell(who: string, text: string, style: Style = 'reset'): void {
    const seconds = (this.#options.now() - this.#startedAtMs) / 1000;
    const time = this.#styled('dim', `${seconds.toFixed(1)}s`.padStart(TIME_CHARS));
    const name = this.#styled('cyan', who.padEnd(WHO_CHARS));
    const [first = '', ...rest] = text.split('\n');
    this.#line(`${time}  ${name} ${this.#styled(style, first)}`);
    for (const line of rest) {
      this.#line(`${INDENT}${' '.repeat(WHO_CHARS + 1)}${this.#styled(style, line)}`);
    }
  }

  /** A link stands alone in its line, so that a terminal can find it. */
  link(caption: string, url: string): void {
    this.#line(`\n${INDENT}${caption}\n${INDENT}${this.#styled(['bold', 'underline'], url)}\n`);
  }

  check(hasPassed: boolean, claim: string): void {
    const mark = hasPassed ? this.#styled('green', '✓') : this.#styled('red', '✗');
    this.#line(`${INDENT}${mark} ${claim}`);
  }

  #line(text: string): void {
    this.#options.write(`${text}\n`);
  }

  #styled(style: Style, text: string): string {
    if (!this.#options.isColoured || style === 'reset') return text;
    return styleText(style, text, { validateStream: false });
  }
}

/** Colours are for terminals only, and not for those who do not want them (no-color.org). */
export function isColoured(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
