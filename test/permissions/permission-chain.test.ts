import type { PermissionMode } from '../../src/loop/state';
import { decidePermission, type PermissionCall } from '../../src/permissions/decide-permission';
import type { RuleBehavior, RuleSource } from '../../src/permissions/rule';
import { call, rules } from './call';

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'] as const;
const SOURCES: readonly RuleSource[] = ['managed', 'cli', 'local', 'project', 'user', 'session'];

/** A call of each kind, and the rule that speaks of it. */
const KINDS = {
  'reads a file': ['Read', { file_path: 'a.txt' }, 'Read(./a.txt)'],
  'reads a file outside': ['Read', { file_path: '/other/a.txt' }, 'Read(//other/**)'],
  'searches outside': ['Grep', { pattern: 'x', path: '/other' }, 'Read(//other/**)'],
  'writes a file': ['Write', { file_path: 'a.txt' }, 'Edit(./a.txt)'],
  'edits a file outside': ['Edit', { file_path: '/other/a.txt' }, 'Edit(//other/**)'],
  'edits a protected file': ['Edit', { file_path: '.git/config' }, 'Edit(.git/**)'],
  'runs a reading command': ['Bash', { command: 'ls src' }, 'Bash(ls:*)'],
  'runs a writing command': ['Bash', { command: 'touch x' }, 'Bash(touch:*)'],
  'calls an MCP tool': ['mcp__calc__add', { a: 1 }, 'mcp__calc__add'],
  'fetches a page': ['WebFetch', { url: 'https://a.org/x' }, 'WebFetch(domain:a.org)'],
  'asks the user': ['AskUserQuestion', {}, 'AskUserQuestion'],
} as const satisfies Readonly<Record<string, readonly [string, object, string]>>;
type Kind = keyof typeof KINDS;

/** y: allowed, ?: asked, n: denied; by mode: default, acceptEdits, plan, bypassPermissions, dontAsk, auto. */
type Row = readonly [withoutRule: string, withAllowRule: string];
const ORACLE: Readonly<Record<Kind, Row>> = {
  'reads a file': ['y y y y y y', 'y y y y y y'],
  'reads a file outside': ['? ? ? y n ?', 'y y y y y y'],
  'searches outside': ['? ? ? y n ?', 'y y y y y y'],
  'writes a file': ['? y n y n y', 'y y n y y y'],
  'edits a file outside': ['? ? n y n ?', 'y y n y y y'],
  'edits a protected file': ['? ? ? y n ?', '? ? ? y n ?'],
  'runs a reading command': ['y y y y y y', 'y y y y y y'],
  'runs a writing command': ['? ? n y n ?', 'y y y y y y'],
  'calls an MCP tool': ['? ? n y n ?', 'y y y y y y'],
  'fetches a page': ['? ? n y n ?', 'y y y y y y'],
  'asks the user': ['? ? ? ? n ?', '? ? ? ? n ?'],
};
/** Whatever the kind of the call. A hook counts only where no rule denies or asks. */
const DENY_RULE = 'n n n n n n';
const ASK_RULE = '? ? ? ? n ?';
const HOOK_ASKS = '? ? ? ? n ?';
const HOOK_ALLOWS = 'y y y y y y';

type Hook = 'none' | 'allow' | 'ask';
interface Case {
  readonly kind: Kind;
  readonly mode: PermissionMode;
  readonly hook: Hook;
  /** Who wrote the rule of each behavior; absent: nobody did. */
  readonly by: Partial<Record<RuleBehavior, RuleSource>>;
}

function expected({ kind, mode, hook, by }: Case): string | undefined {
  const [withoutRule, withAllowRule] = ORACLE[kind];
  const row =
    by.deny !== undefined
      ? DENY_RULE
      : by.ask !== undefined
        ? ASK_RULE
        : hook === 'ask'
          ? HOOK_ASKS
          : hook === 'allow'
            ? HOOK_ALLOWS
            : by.allow === undefined
              ? withoutRule
              : withAllowRule;
  return row.split(' ')[MODES.findIndex((each) => each === mode)];
}

function decided({ kind, mode, hook, by }: Case): PermissionCall {
  const [tool, input, rule] = KINDS[kind];
  const written = Object.entries(by) as [RuleBehavior, RuleSource][];
  return call(tool, input, {
    mode,
    rules: written.flatMap(([behavior, source]) => rules(behavior, [rule], source)),
    isReadOnlyCommand: (command) => command.startsWith('ls'),
    ...(hook !== 'none' && { hook: { behavior: hook, text: 'a reason' } }),
  });
}

/** Every set of rules, each rule from every source. */
function* rulesBySource(): Generator<Case['by']> {
  yield {};
  for (const strong of SOURCES) {
    yield { deny: strong };
    yield { ask: strong };
    yield { allow: strong };
    for (const weak of SOURCES) {
      yield { deny: strong, ask: weak };
      yield { deny: strong, allow: weak };
      yield { ask: strong, allow: weak };
      yield { deny: strong, ask: weak, allow: strong };
    }
  }
}

const LETTER = { allow: 'y', ask: '?', deny: 'n' } as const;

describe.each(Object.keys(KINDS) as Kind[])('a call that %s', (kind) => {
  test.each(MODES)('is decided as the table says in mode %s', (mode) => {
    const wrong: unknown[] = [];
    let cases = 0;

    for (const hook of ['none', 'allow', 'ask'] as const) {
      for (const by of rulesBySource()) {
        const one = { kind, mode, hook, by };
        const { behavior } = decidePermission(decided(one));
        cases++;
        if (LETTER[behavior] !== expected(one)) wrong.push({ ...one, behavior });
      }
    }

    expect(wrong).toEqual([]);
    expect(cases).toBe(3 * (1 + 6 * 3 + 36 * 4));
  });
});

test.each(SOURCES)('a denial names its rule and where it is written: %s', (source) => {
  const decision = decidePermission(
    decided({
      kind: 'runs a writing command',
      mode: 'default',
      hook: 'none',
      by: { deny: source },
    }),
  );

  expect(decision).toMatchObject({ reason: { type: 'rule', rule: 'Bash(touch:*)', source } });
});

test.each([
  ['Bash', 'touch x', '?'],
  ['Bash(*)', 'touch x', '?'],
  ['*', 'touch x', '?'],
  ['Bash(python*)', 'python3 x.py', '?'],
  ['Bash(python3:*)', 'python3 x.py', '?'],
  ['Bash(npm run:*)', 'npm run build', '?'],
  ['Bash(npx *)', 'npx tool', '?'],
  ['Bash(npm run build)', 'npm run build', 'y'],
  ['Bash(npm test:*)', 'npm test', 'y'],
  ['Bash(python3 x.py)', 'python3 x.py', 'y'],
])('in mode auto, what the rule %s leaves of %j is judged or not: %s', (rule, command, letter) => {
  const decide = (mode: PermissionMode) =>
    LETTER[
      decidePermission(call('Bash', { command }, { mode, rules: rules('allow', [rule]) })).behavior
    ];

  expect(decide('default')).toBe('y');
  expect(decide('auto')).toBe(letter);
});
