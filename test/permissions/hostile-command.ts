import type { Dice } from './dice';
import { everyday, separator } from './everyday-command';

/** Ways to start a program that the first word of a line does not name. `depth`: how far they may be nested. */
export function hostile(dice: Dice, programs: string, depth: number): string {
  const inner = (): string =>
    depth > 0 && dice.chance(0.4) ? hostile(dice, programs, depth - 1) : evil(dice, programs);
  const quoted = (text: string): string =>
    dice.chance(0.5)
      ? `'${text.replaceAll("'", `'\\''`)}'`
      : `"${text.replace(/["\\$`]/g, '\\$&')}"`;
  const cover = (): string => everyday(dice);
  const WAYS: readonly [() => string, ...(() => string)[]] = [
    // Substitutions.
    () => `${cover()} $(${inner()})`,
    () => `${cover()} "$(${inner()})"`,
    () => `${cover()} \`${evil(dice, programs)}\``,
    () => `${cover()} "\`${evil(dice, programs)}\`"`,
    () => `${cover()} "a\${Y:-$(${inner()})}"`,
    () => `${cover()} <(${inner()})`,
    () => `${cover()} > >(${inner()})`,
    () => `${cover()} $((1+$(${inner()})))`,
    () => `${cover()} $[a[$(${inner()})]]`,
    () => `${cover()} "$\\\n(${inner()})"`,
    () => `${cover()} $\\\n'\\'' ; ${inner()} #'`,
    () => `npm() { ${inner()}; }; ${cover()}`,
    () => `function npm { ${inner()}; }\n${cover()}`,
    () => `shopt -s expand_aliases\nalias npm=${quoted(inner())}\n${cover()}`,
    // Lists and structures.
    () => `${cover()}${separator(dice)}${inner()}`,
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `! ${inner()}`,
    () => `if ${cover()}; then ${inner()}; else ${inner()}; fi`,
    () => `for i in 1 2; do ${inner()}; done`,
    () => `while ${inner()}; do break; done`,
    () => `case a in a) ${inner()};; esac`,
    () => `[[ -n $(${inner()}) ]]`,
    () => `coproc ${inner()}`,
    () => `time ${inner()}`,
    () => `select i in a; do ${inner()}; done`,
    // Documents and redirections.
    () => `${cover()} <<E\n$(${inner()})\nE`,
    () => `${cover()} <<'E'\ntext\nE\n${inner()}`,
    () => `${cover()} <<-E\n\tE\n${inner()}`,
    () => `${cover()} <<< "$(${inner()})"`,
    () => `${cover()} > made`,
    () => `${cover()} >>made 2>&1`,
    () => `${cover()} >/dev/null;${inner()}`,
    () => `>made ${inner()}`,
    () => `${cover()} 2>&1>made`,
    () => `${cover()} >&made`,
    // Words before the program.
    () => `A=1 ${inner()}`,
    () => `PATH=.:$PATH ${cover()}`,
    () => `A=$(${inner()})`,
    () => `export A=\`${evil(dice, programs)}\``,
    () => `BASH_ENV=<(echo evil) ${cover()}`,
    () => `eval ${quoted(inner())}`,
    () => `eval "$X"`,
    () => `exec ${inner()}`,
    () => `command ${inner()}`,
    () => `builtin eval ${inner()}`,
    () => `env ${dice.pick('', 'A=1 ', '-i ', '-S ')}${inner()}`,
    () => `env -i PATH="$PATH" ${inner()}`,
    () => `nice ${dice.pick('', '-n 1 ')}${inner()}`,
    () => `timeout ${dice.pick('5 ', '-s KILL 5 ', '--foreground 5 ')}${inner()}`,
    () => `echo a | xargs ${dice.pick('', '-n1 ', '-I{} ', '-t ')}${evil(dice, programs)}`,
    () => `echo evil | xargs ${dice.pick('', '-I{} {} ', 'env ', 'sh -c ')}`,
    () => `nohup ${inner()}`,
    () => `setsid ${inner()}`,
    () => `bash -c ${quoted(inner())}`,
    () => `echo ${quoted(inner())} | ${dice.pick('sh', 'bash', 'bash -s')}`,
    () => `. <(echo ${quoted(inner())})`,
    () => `trap ${quoted(inner())} EXIT`,
    () => `printf -v 'a[$(${evil(dice, programs)})]' x`,
    () => `test -v 'a[$(${evil(dice, programs)})]'`,
    () => `declare -i 'n=a[$(${evil(dice, programs)})]'`,
    () => `mapfile -C ${quoted('evil #')} -c 1 < b.txt`,
    () => `find . -exec ${evil(dice, programs)} {} +`,
    () => `$X`,
    () => `{evil,npm}`,
    () => `{npm,test};evil`,
    () => `ev'il'`,
    () => `e\\v"il" x`,
    () => `ev\\\nil`,
    () => `$'\\x65vil'`,
    () => `$"evil"`,
    () => `$(echo evil)`,
    () => `ev?l${separator(dice)}./np?`,
    () => `./npm test`,
    () => `${programs}/evil`,
    () => `npm\u00a0test`,
    () => `npm test\u2028evil\nevil`,
    () => `npm test # \\\n${inner()}`,
    () => `npm test #'\n${inner()} #'`,
    () => `npm test "\n${inner()}"\n${inner()} "`,
    () => `npm 'a'\\''b' ; ${inner()} ''`,
    () => `npm \\\\; ${inner()}`,
    () => `npm "\\\\"; ${inner()} ""`,
    () => `npm '\\'; ${inner()} ''`,
    () => `npm a#b; ${inner()}`,
    () => `npm ''#; ${inner()}`,
    () => `npm \${X#;}; ${inner()}`,
    () => `npm $#;${inner()}`,
    () => `npm &>/dev/null&${inner()}`,
    () => `npm >/dev/null&&${inner()}`,
    () => `npm 2>&1&${inner()}`,
    () => `npm >&-;${inner()}`,
    () => `npm \r\n${inner()}`,
    () => `npm test |&${inner()}`,
  ];
  return dice.pick(...WAYS)();
}

function evil(dice: Dice, programs: string): string {
  return dice.pick(
    'evil',
    'evil x',
    'bad',
    'evil "a b"',
    `${programs}/evil`,
    'sudo evil',
    'evil 2>&1',
    'rm -rf a',
    'npm publish',
    'git push',
  );
}
