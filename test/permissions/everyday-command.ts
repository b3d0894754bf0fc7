import type { Dice } from './dice';

/** What agents write every day, most of it allowed by the rules of the test. */
export function everyday(dice: Dice): string {
  const wrapper = dice.chance(0.15)
    ? dice.pick(
        'timeout 5 ',
        'time ',
        'nice ',
        'nice -n 5 ',
        'nohup ',
        'stdbuf -oL ',
        'timeout -k 1 5s ',
        'time -p ',
        'xargs ',
      )
    : '';
  const words = [program(dice)];
  while (dice.chance(0.5)) words.push(word(dice));
  const gap = (): string => dice.pick(' ', ' ', ' ', ' ', '  ', '\t', ' \\\n  ');
  const line = words.reduce((text, each) => text + gap() + each);
  const end = dice.chance(0.2)
    ? dice.pick(
        ' 2>&1',
        ' >/dev/null',
        ' 2> /dev/null',
        ' &>/dev/null',
        ' >/dev/null 2>&1',
        ' 2>&-',
        ' </dev/null',
        '>&2',
      )
    : '';
  return wrapper + line + end;
}

const program = (dice: Dice): string =>
  dice.pick(
    'npm test',
    'npm test',
    'npm run build',
    'git log',
    'git status',
    'git commit -m x',
    'node build.js',
    'make all',
    'cargo build --release',
    'ls',
    'cat b.txt',
    'echo',
    'grep evil',
    'cd sub',
    'find .',
  );

function word(dice: Dice): string {
  const text = dice.pick(
    'a',
    'evil',
    'b.txt',
    '--watch',
    '-x',
    'a b',
    'it',
    '1',
    'é',
    '$X',
    'a;evil',
    '(evil)',
    '#',
    '!',
    'src/a.ts',
    '~',
    '=',
    'A=1',
    '{',
    '}',
    '*',
    '|',
  );
  switch (dice.upTo(9)) {
    case 0:
      return `'${text}'`;
    case 1:
      return `"${text.replace(/["`]/g, '')}"`;
    case 2:
      return text.replace(/[^\w./-]/g, '\\$&');
    case 3:
      return dice.pick(
        '*',
        '*.txt',
        '{a,b}',
        '{1..3}',
        '$X',
        '"$X"',
        '~',
        '?',
        '[ab]',
        '-{x,y}',
        '$HOME/a',
        '$1',
        '$#',
        '$$',
        '!!',
      );
    case 4:
      return `a'${text}'"b"`;
    default:
      return text.replace(/[^\w./=é-]/g, '') || '-v';
  }
}

/** Between two commands. */
export const separator = (dice: Dice): string =>
  dice.pick(
    ' && ',
    ' || ',
    ' | ',
    '; ',
    '\n',
    ' & ',
    '&&',
    '||',
    '|',
    ';',
    '&',
    ' |& ',
    ' &&\n  ',
    ' \\\n && ',
    ';\t',
    '\n\n',
    ' # note\n',
  );
