import path from 'node:path';
import type { ShellCommand } from './shell-words';

/** Programs whose first argument is a pattern or a script, not a file. */
const PATTERN_FIRST = new Set('grep egrep fgrep rg sed awk jq'.split(' '));
const NO_FILES = new Set('echo printf true false : expr seq date which type'.split(' '));

/** Words of a read-only command that may name files, as absolute paths; null: its place is not known.
 *  A guess in the safe direction: what merely looks like a path counts as one. */
export function pathsNamedBy(
  { words: [program = '', ...words] }: ShellCommand,
  workingDirectory: string,
): readonly (string | null)[] {
  if (NO_FILES.has(program)) return [];
  const values = words.map((word) => word.replace(/^(?:--?[\w-]+=|-[A-Za-z](?=[/~]|\.\.))/, ''));
  const hasPatternOption = words.some((word) => /^(?:-[A-Za-z]*[ef]|--(?:regexp|file))/.test(word));
  const pattern =
    PATTERN_FIRST.has(program) && !hasPatternOption
      ? values.findIndex((word) => !word.startsWith('-'))
      : -1;
  return values
    .filter((word, index) => index !== pattern && !word.startsWith('-') && word !== '/dev/null')
    .map((word) => (EXPANDS.test(word) ? null : path.resolve(workingDirectory, word)));
}

/** Home folders, variables, braces that list, and globs that fit `..`. */
const EXPANDS = /^~|\$|\{[^}]*(?:,|\.\.)|(?:^|\/)\.[*?[]/;
