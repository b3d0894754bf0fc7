import path from 'node:path';
import { splitCommandLine, type ShellCommand } from './shell-words';

type WrittenCommand = Pick<ShellCommand, 'text' | 'words'>;

/** Programs that run the rest of their line, and words before which a command may stand. */
const WRAPPERS = new Set(
  (
    'sudo doas env nohup nice ionice time timeout stdbuf setsid command exec builtin xargs watch ' +
    'flock chroot coproc ! { if then elif else while until do'
  ).split(' '),
);
/** Programs that are given commands as text. */
const SHELLS = new Set(
  'sh bash dash zsh ksh eval source . trap mapfile readarray compgen bind'.split(' '),
);
/** How often text may lie in text, and how much is looked at. */
const DEPTH = 3;
const MOST_SCRIPTS = 20_000;
const MOST_COMMANDS = 100_000;

/** What a line may run, as far as it can be seen without running it: for prohibitions, so too much rather than too
 *  little. Wrappers, text that is given to a shell, quoted spellings and full paths of a program are looked through.
 *  null: there is too much of it to be looked through. */
export function visibleCommands(line: string): ReadonlySet<string> | null {
  const seen = new Set<string>();
  const known = new Set([line]);
  let scripts: readonly string[] = [line];
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: string[] = [];
    for (const script of scripts) {
      for (const text of commandsOf(script, (inner) => next.push(inner))) seen.add(text);
      if (seen.size > MOST_COMMANDS || next.length > MOST_SCRIPTS) return null;
    }
    scripts = [...new Set(next)].filter((script) => !known.has(script));
    for (const script of scripts) known.add(script);
  }
  return seen;
}

function* commandsOf(script: string, tellScript: (text: string) => void): Generator<string> {
  const { commands, unclear } = splitCommandLine(script);
  const written = unclear === null ? commands : [...commands, ...piecesOf(script)];
  const feedsShell = written.some(({ words }) => words.some(isShell));
  for (const { text, words } of written) {
    yield text;
    for (const command of tailsOf(words)) yield* spellingsOf(command);
    words.filter((word) => feedsShell || /[`{]|\$\(/.test(word)).forEach(tellScript);
    if (feedsShell) tellScript(words.slice(words.findIndex(isShell) + 1).join(' '));
  }
}

/** Every stretch between characters that could begin or end a command, whatever quotes say. */
function piecesOf(script: string): readonly WrittenCommand[] {
  return script.split(/(?=[<>])|[;&|\n(){}`]/).flatMap((piece) => {
    const words = piece
      .replace(/['"\\$]/g, '')
      .split(/[\s<>]+/)
      .filter(Boolean);
    // A redirection may stand before the command, and what braces list becomes words.
    const behind = /^[<>]/.test(piece) ? [words.slice(1)] : [];
    const listed = piece.includes(',') ? [words.flatMap((word) => word.split(','))] : [];
    return [words, ...behind, ...listed].map((each) => ({ text: each.join(' '), words: each }));
  });
}

/** The command behind its assignments, and behind each word once a wrapper stands before it. */
function* tailsOf(words: readonly string[]): Generator<readonly string[]> {
  const start = words.findIndex((word) => !/^\w+\+?=/.test(word));
  if (start < 0) return;
  const isWrapped = WRAPPERS.has(nameOf(words[start] ?? ''));
  const end = isWrapped ? words.length : start + 1;
  for (let at = start; at < end; at++) yield words.slice(at);
}

function* spellingsOf([program = '', ...rest]: readonly string[]): Generator<string> {
  yield [program, ...rest].join(' ');
  yield [nameOf(program), ...rest].join(' ');
}

const nameOf = (program: string): string => path.posix.basename(program);
const isShell = (word: string): boolean => SHELLS.has(nameOf(word));
