import path from 'node:path';
import { needsExactRule } from './command-wrapper';
import { isSearch, textField, type FileTarget } from './file-target';
import { toRuleText } from './rule';
import { splitCommandLine, type ShellCommand } from './shell-words';

/** Programs that can do anything: a prefix rule for one of them would allow everything. */
const ANYTHING = new Set(
  'sh bash zsh dash eval exec sudo doas env xargs nohup time timeout rm python python3 node ruby perl ssh curl wget'.split(
    ' ',
  ),
);
const WITH_SUBCOMMANDS = new Set(
  'git npm pnpm yarn npx cargo go docker kubectl gh pip make uv terraform'.split(' '),
);

/** Rules that would let the call through, no wider than a person would write them. */
export function suggestRules(
  toolName: string,
  input: unknown,
  target: FileTarget | null,
): readonly string[] {
  if (toolName === 'Bash') return suggestBashRules(textField(input, 'command'));
  if (toolName === 'WebFetch') return suggestDomain(textField(input, 'url'));
  if (target === null) return [toolName];
  const folderOrFile = target.access === 'write' ? 'Edit' : 'Read';
  const suffix = isSearch(toolName) ? '/**' : '';
  return target.paths.map((file) =>
    toRuleText({ tool: folderOrFile, content: `/${path.resolve(file)}${suffix}` }),
  );
}

function suggestDomain(url: string): readonly string[] {
  return URL.canParse(url) ? [`WebFetch(domain:${new URL(url).hostname})`] : [];
}

function suggestBashRules(line: string): readonly string[] {
  const { commands, unclear } = splitCommandLine(line);
  if (unclear !== null || commands.length === 0) return [`Bash(${line.trim()})`];
  const rules = commands.map(ruleFor);
  // A star cannot be written as itself: the rule would allow more than the line.
  if (rules.some((rule) => rule.replace(/:\*$/, '').includes('*'))) return [];
  return [...new Set(rules.map((rule) => `Bash(${rule})`))];
}

function ruleFor(command: ShellCommand): string {
  const {
    text,
    words: [program = '', subcommand = ''],
  } = command;
  if (needsExactRule(command) || ANYTHING.has(program) || !/^[\w./-]+$/.test(program)) return text;
  if (!WITH_SUBCOMMANDS.has(program)) return `${program}:*`;
  return /^[a-z][\w:-]*$/.test(subcommand) ? `${program} ${subcommand}:*` : text;
}
