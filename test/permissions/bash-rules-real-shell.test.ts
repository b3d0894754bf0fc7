// Needs Bash; starts a real one for every line that the rules allow. EVERLOOP_TEST_BASH_LINES: how many lines.
import { availableParallelism } from 'node:os';
import { isSeenByBashRule } from '../../src/permissions/bash-rule';
import { decidePermission } from '../../src/permissions/decide-permission';
import { isReadOnlyCommand } from '../../src/tools/shell/read-only-command';
import { call, rules } from './call';
import { Dice } from './dice';
import { HOSTILE_LINES } from './hostile-lines';
import { createRealShell, type LineRun, type RealShell, type StartedProgram } from './real-shell';
import { shellLine } from './shell-lines';

const LINES = Number(process.env['EVERLOOP_TEST_BASH_LINES'] ?? 2_000);
const SEED = Number(process.env['EVERLOOP_TEST_SEED'] ?? 20_261);

/** As users write them, and what each lets start, said a second time without any code of ours. */
const RULES: Readonly<Record<string, (name: string, args: readonly string[]) => boolean>> = {
  'npm test:*': (name, [first]) => name === 'npm' && first === 'test',
  'npm run build': (name, args) => [name, ...args].join('\n') === 'npm\nrun\nbuild',
  'git commit *': (name, [first]) => name === 'git' && first === 'commit',
  'node build.js': (name, args) => [name, ...args].join('\n') === 'node\nbuild.js',
  'make*': (name) => name.startsWith('make'),
  'cargo * --release': (name, args) =>
    name === 'cargo' && args.length > 1 && args.at(-1) === '--release',
  'find *': (name, args) =>
    name === 'find' && !args.some((arg) => /^-(exec|ok|delete|fls|fprint)/.test(arg)),
};
/** Programs that only look, and those that only run what comes behind them, which is seen as well. */
const READERS = ['ls', 'cat', 'grep', 'head', 'wc', 'git log', 'git status'];
const WRAPPERS = ['timeout', 'nice', 'nohup', 'stdbuf', 'xargs'];

/** What a variable, a pattern or the input of xargs holds is not in the line. */
const NAMED_BY_DATA = /\$X|\?|xargs|\$'|\$\(echo/;

const isAllowed = (command: string): boolean =>
  decidePermission(
    call(
      'Bash',
      { command },
      {
        rules: rules(
          'allow',
          Object.keys(RULES).map((content) => `Bash(${content})`),
        ),
        isReadOnlyCommand,
      },
    ),
  ).behavior === 'allow';

function slipped({ programs }: RealShell, { file, name, args }: StartedProgram): boolean {
  const isMissing = file === name;
  if (!isMissing && file !== `${programs}/${name}`) return true;
  // Behind a pipe the word is no keyword but names a program, which only some machines have.
  if (isMissing && name === 'time') return false;
  const isReader = [name, `${name} ${args[0] ?? ''}`].some((each) => READERS.includes(each));
  if (isReader || WRAPPERS.includes(name)) return false;
  return !Object.values(RULES).some((fits) => fits(name, args));
}

interface Slip {
  readonly line: string;
  readonly started: readonly string[];
  readonly written: readonly string[];
}

function slipOf(shell: RealShell, line: string, run: LineRun): Slip[] {
  const started = run.started.filter((each) => slipped(shell, each));
  if (started.length === 0 && run.written.length === 0 && !run.isKilled) return [];
  return [
    {
      line,
      started: started.map(({ name, args }) => [name, ...args].join(' ')),
      written: run.written,
    },
  ];
}

let shell: RealShell;
beforeAll(() => {
  shell = createRealShell();
});
afterAll(() => {
  shell.remove();
});

test(`of ${LINES} generated lines, those that the rules allow start nothing else`, async () => {
  const dice = new Dice(SEED);
  const lines = Array.from({ length: LINES }, () => shellLine(dice, shell.programs));
  const allowed = lines.filter(isAllowed);
  const runs = await runAll(allowed);

  const share = allowed.length / LINES;
  const startedAnything = runs.filter(({ run }) => run.started.length > 0).length;
  console.log(
    `${LINES} lines (seed ${SEED}): ${allowed.length} allowed (${(share * 100).toFixed(1)} %), ${startedAnything} of them started a program`,
  );

  expect(runs.flatMap(({ line, run }) => slipOf(shell, line, run))).toEqual([]);
  expect(share).toBeGreaterThan(0.2);
  expect(startedAnything).toBeGreaterThan(allowed.length / 2);
}, 1_200_000);

test(`of ${LINES / 10} generated lines, a prohibition sees those that start its program, unless data names it`, async () => {
  const dice = new Dice(SEED + 1);
  const [rule] = rules('deny', ['Bash(evil:*)']);
  const lines = Array.from({ length: LINES / 10 }, () => shellLine(dice, shell.programs));

  const runs = await runAll(lines.filter((line) => line.includes('evil')));

  const starting = runs.filter(({ run }) => run.started.some(({ name }) => name === 'evil'));
  const unseen = starting.filter(({ line }) => !isSeenByBashRule(rule!, line));
  console.log(`${starting.length} lines started it, ${unseen.length} of them unseen`);
  expect(unseen.map(({ line }) => line).filter((line) => !NAMED_BY_DATA.test(line))).toEqual([]);
  expect(starting.length).toBeGreaterThan(0);
}, 600_000);

describe.each(Object.entries(HOSTILE_LINES))('%s', (_, lines) => {
  test.each(lines)('%j is not allowed', (line) => {
    expect(isAllowed(line)).toBe(false);
  });
});

test('the stubs tell what the hostile lines would have started or written', async () => {
  const lines = Object.values(HOSTILE_LINES).flat();

  const runs = await runAll(lines);

  const harmful = runs.filter(({ line, run }) => slipOf(shell, line, run).length > 0);
  expect(lines.length).toBeGreaterThanOrEqual(100);
  expect(harmful.length).toBeGreaterThan(lines.length / 2);
}, 300_000);

async function runAll(
  lines: readonly string[],
): Promise<readonly { readonly line: string; readonly run: LineRun }[]> {
  const done: { readonly line: string; readonly run: LineRun }[] = [];
  const waiting = [...lines];
  const work = async (): Promise<void> => {
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      done.push({ line, run: await shell.run(line) });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return done;
}
