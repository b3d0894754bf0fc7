import type { Dice } from './dice';
import { everyday, separator } from './everyday-command';
import { hostile } from './hostile-command';

/** A command line. A third is what agents write every day; a third is that with a character or two put in, dropped
 *  or moved; a third is built to start a program behind a rule's back. `programs`: the folder of the stubs. */
export function shellLine(dice: Dice, programs: string): string {
  const kind = dice.upTo(3);
  if (kind === 0) return list(dice, () => everyday(dice));
  if (kind === 1)
    return mutated(
      dice,
      list(dice, () => everyday(dice)),
    );
  return list(dice, () => (dice.chance(0.5) ? everyday(dice) : hostile(dice, programs, 3)));
}

function list(dice: Dice, command: () => string): string {
  let line = command();
  while (dice.chance(0.4)) line += separator(dice) + command();
  if (dice.chance(0.1)) line = dice.pick(' ', '\n', '\t', '# note\n', ' \\\n') + line;
  if (dice.chance(0.15))
    line += dice.pick(' ', '\n', ';', ' &', ' # evil', '#x', ' \\\n', " # it's");
  return line;
}

const MARKS = [
  ...[
    '"',
    "'",
    '\\',
    '\n',
    '$',
    '`',
    '(',
    ')',
    '{',
    '}',
    ';',
    '&',
    '|',
    '<',
    '>',
    '#',
    '!',
    '~',
    '*',
    '?',
    '[',
    ']',
  ],
  ...[
    '\\\n',
    '$(',
    '${',
    '$\\\n',
    "$'",
    '$"',
    '<(',
    '>(',
    '<<',
    '<<<',
    '((',
    '[[',
    ' ',
    '\t',
    '\r',
    '\v',
    '\f',
  ],
  ...[
    '\u00a0',
    '\u2028',
    '\u3000',
    '\u200b',
    '\ufeff',
    '\u0085',
    '2>',
    '&>',
    '>|',
    '>&',
    '=',
    ' evil ',
    ';evil',
    '\nevil\n',
    '`evil`',
    '$(evil)',
  ],
] as const;

/** A little at odds with what the shell expects. */
function mutated(dice: Dice, line: string): string {
  let text = line;
  do {
    const at = dice.upTo(text.length + 1);
    const mark = dice.pick(MARKS[0], ...MARKS);
    const cut = dice.chance(0.2) ? 1 : 0;
    text = text.slice(0, at) + mark + text.slice(at + cut);
  } while (dice.chance(0.5));
  return text;
}
