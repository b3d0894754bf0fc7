import path from 'node:path';
import type { PermissionRule } from './rule';
import { splitCommandLine, type ShellCommand } from './shell-words';

/** Programs that run the rest of their line, and words before which a command may stand. */
const WRAPPERS = new Set(
  (
    'sudo doas env nohup nice ionice time timeout stdbuf setsid command exec builtin xargs watch ' +
    '! { if then elif else while until do'
  ).split(' '),
);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'eval']);
const DEPTH = 3;

/** Whether one of the rules allows the line as it stands, or rules and `isHarmless` allow each of its parts. */
export function isAllowedByBashRules(
  rules: readonly PermissionRule[],
  line: string,
  isHarmless: (command: string) => boolean,
): boolean {
  if (rules.some(({ content }) => content === null || content === line.trim())) return true;
  const { commands, unclear } = splitCommandLine(line);
  if (unclear !== null || commands.length === 0) return false;
  return commands.every(
    ({ text }) =>
      rules.some(({ content }) => content !== null && fits(content, text)) || isHarmless(text),
  );
}

/** Whether the rule speaks of any command in the line. Sees too much rather than too little: wrappers, the
 *  text given to a shell, quoted spellings and full paths of a program are looked through. */
export function isSeenByBashRule(rule: PermissionRule, line: string): boolean {
  const { content } = rule;
  if (content === null || content === line.trim()) return true;
  return visibleCommands(line, DEPTH).some((text) => fits(content, text));
}

/** `npm test:*` and `npm test *`: the words and what follows them. Another `*` stands for anything. */
function fits(content: string, text: string): boolean {
  const prefix = /^(?<words>[^]*?)(?::\*| \*)$/.exec(content)?.groups?.['words'];
  const pattern = (prefix ?? content).split('*').map(escapePattern).join('[^]*');
  return new RegExp(`^${pattern}${prefix === undefined ? '' : '(?: [^]*)?'}$`).test(text);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function visibleCommands(line: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  const { commands, unclear } = splitCommandLine(line);
  const seen = unclear === null ? commands : [...commands, ...piecesOf(line)];
  return seen.flatMap((command) => views(command, depth));
}

/** Every stretch between characters that could begin or end a command, whatever quotes say. */
function piecesOf(line: string): readonly ShellCommand[] {
  return line.split(/[;&|\n(){}`<>]/).map((piece) => {
    const words = piece
      .replace(/['"\\$]/g, '')
      .split(/\s+/)
      .filter(Boolean);
    return { text: words.join(' '), words };
  });
}

function views({ text, words }: ShellCommand, depth: number): readonly string[] {
  const start = words.findIndex((word) => !/^\w+\+?=/.test(word));
  if (start < 0) return [text];
  const [program = '', ...rest] = words.slice(start);
  const name = path.posix.basename(program);
  const inner = WRAPPERS.has(name)
    ? rest.flatMap((_, index) => {
        const tail = rest.slice(index);
        return views({ text: tail.join(' '), words: tail }, depth);
      })
    : SHELLS.has(name)
      ? [rest.join(' '), ...rest].flatMap((script) => visibleCommands(script, depth - 1))
      : [];
  return [text, [program, ...rest].join(' '), [name, ...rest].join(' '), ...inner];
}
