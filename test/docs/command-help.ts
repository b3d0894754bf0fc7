import type { Command } from '../../src/cli/command';
import { parseCommand } from '../../src/cli/parse-command';
import { SUBCOMMANDS } from '../../src/cli/subcommands';

/** Actions of a subcommand that have options of their own. */
const ACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['schedule', ['create', 'ls', 'show', 'trigger', 'pause', 'resume', 'delete']],
  ['workspace', ['ls', 'move']],
]);

/** Long options of `everloop`, or of one of its subcommands and their actions, as its help shows them. */
function optionsOf(subcommand: string | null): ReadonlySet<string> {
  const lines =
    subcommand === null
      ? [[]]
      : [[subcommand], ...(ACTIONS.get(subcommand) ?? []).map((action) => [subcommand, action])];
  const help = lines.map((line) => textOf(parseCommand([...line, '--help'], '1'))).join('\n');
  return new Set([...help.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option));
}

/** Options that a line in prose gives to `everloop` without having them. */
export function unknownOptionsOf(line: string): readonly string[] {
  const [, first = '', ...rest] = line.split(/\s+/);
  const subcommand = SUBCOMMANDS.has(first) ? first : null;
  const known = optionsOf(subcommand);
  const given = [first, ...rest].flatMap((word) => /^\[?(--[a-z][a-z-]*)/.exec(word)?.[1] ?? []);
  return given.filter((option) => !known.has(option));
}

function textOf(command: Command): string {
  if (command.type === 'show') return command.text;
  throw new Error(`The help is a ${command.type}.`);
}
