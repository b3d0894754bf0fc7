import type { WriteStream } from 'node:tty';
import { coloursOf, createTheme, isDumb } from '../terminal/theme';
import { PlainLines } from './plain-lines';
import { RewrittenLine } from './rewritten-line';
import { loadWidthOf } from './text-width';

/** What is shown of work that goes on. Where the line is too short, the body is cut first. */
export interface Shown {
  readonly head: string;
  /** What is done now; empty: nothing to say. */
  readonly body: string;
  readonly tail: string;
  /** How much is done, from 0 to 1; null: nobody knows. */
  readonly part: number | null;
  readonly tone: 'calm' | 'waits' | 'failed';
}

/** The one place where work that takes long shows itself. Never fails, and never writes where data goes. */
export interface StatusLine {
  /** true: each text takes the place of the last one. false: it stays, so that only some are printed. */
  readonly isRewritten: boolean;
  /** null: nothing any more. */
  show(shown: Shown | null): void;
  /** Prints a line that stays. */
  say(line: string): void;
  /** Takes it off the screen, for something that is about to be printed there. */
  clear(): void;
  /** Takes it off for good. Safe to repeat. */
  close(): void;
}

/** One line that is rewritten, on a terminal; lines at a calm pace where that is not possible. */
export async function openStatusLine(
  stream: WriteStream,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StatusLine> {
  if (!stream.isTTY || isDumb(environment)) return new PlainLines(stream);
  return new RewrittenLine(stream, createTheme(coloursOf(environment)), await loadWidthOf());
}
