import path from 'node:path';
import type { ShellCommand } from './shell-words';

/** A command inside the programs that run it. */
export interface InnerCommand {
  readonly text: string;
  /** Its arguments go on with what nobody has seen: a rule for exactly these words does not speak of it. */
  readonly takesMore: boolean;
}

/** Programs that run the rest of their line as it is, with the options that change nothing of that. */
const WRAPPER = new RegExp(
  '^(?:' +
    [
      'timeout(?: (?:--foreground|--preserve-status|-v|--verbose|-[ks] ?[\\w.]+|--(?:kill-after|signal)=[\\w.]+))* \\d+(?:\\.\\d+)?[smhd]?',
      'time(?: -p)?',
      'nice(?: -n ?-?\\d+| --adjustment=-?\\d+| -\\d+)?',
      'nohup',
      'stdbuf(?: -[ioe] ?(?:L|\\d+[KMG]?))+',
      '(?<more>xargs)',
    ].join('|') +
    ') (?=[\\w./])',
);

/** The command as it stands, and what is left when its wrappers are taken off, one after the other.
 *  Source: Claude Code's documentation of permissions, "Process wrappers". */
export function unwrap(text: string): readonly InnerCommand[] {
  const found: InnerCommand[] = [{ text, takesMore: false }];
  for (let last = found[0]; last !== undefined;) {
    const match = WRAPPER.exec(last.text);
    if (match === null) break;
    const takesMore = last.takesMore || match.groups?.['more'] !== undefined;
    last = { text: last.text.slice(match[0].length), takesMore };
    found.push(last);
  }
  return found;
}

const EXEC_WRAPPERS = new Set(['watch', 'setsid', 'ionice', 'flock']);

/** Whether what the command does is decided by what stands in its middle, so that its beginning says nothing. */
export function needsExactRule({ text, words, expands }: ShellCommand): boolean {
  const views = unwrap(text).map((view) => ({ ...view, name: programOf(view.text) }));
  if (views.some(({ name }) => EXEC_WRAPPERS.has(name))) return true;
  const acts = expands || words.some((word) => /^-(?:exec|ok|delete|fls|fprint)/.test(word));
  return views.some(({ name, takesMore }) => name === 'find' && (acts || takesMore));
}

const programOf = (text: string): string => path.posix.basename(/^\S*/.exec(text)?.[0] ?? '');
