import type { PermissionMode } from '../../src/loop/state';
import { deniedForNobodyToAsk, type Question } from '../../src/permissions/decision';
import { decidePermission, type PermissionCall } from '../../src/permissions/decide-permission';
import type { RuleSource } from '../../src/permissions/rule';
import { isReadOnlyCommand } from '../../src/tools/shell/read-only-command';
import { call, rules } from './call';

const MODES: readonly PermissionMode[] = [
  'default',
  'acceptEdits',
  'plan',
  'bypassPermissions',
  'dontAsk',
];
const SOURCES: readonly RuleSource[] = ['managed', 'cli', 'local', 'project', 'user', 'session'];
const touch = { command: 'touch x.txt' };
const write = { file_path: '/project/new.txt', content: 'x' };

const asked = (permissionCall: PermissionCall): Question => {
  const decision = decidePermission(permissionCall);
  if (decision.behavior !== 'ask') throw new Error(`Decided ${decision.behavior}, not ask.`);
  return decision;
};

describe.each(SOURCES)('rules from %s', (source) => {
  const deny = rules('deny', ['Bash(touch:*)'], source);
  const ask = rules('ask', ['Bash(touch:*)'], source);
  const allow = rules('allow', ['Bash(touch:*)'], source);

  test.each(MODES)('deny wins over ask and allow in mode %s', (mode) => {
    const decision = decidePermission(
      call('Bash', touch, { mode, rules: [...allow, ...ask, ...deny] }),
    );

    expect(decision).toMatchObject({
      behavior: 'deny',
      reason: { type: 'rule', rule: 'Bash(touch:*)', source },
    });
  });

  test.each([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['plan', 'ask'],
    ['bypassPermissions', 'ask'],
    ['dontAsk', 'deny'],
  ] as const)('ask wins over allow: mode %s, %s', (mode, behavior) => {
    const decision = decidePermission(call('Bash', touch, { mode, rules: [...allow, ...ask] }));

    expect(decision.behavior).toBe(behavior);
  });

  test.each(MODES)('allow lets the call through in mode %s', (mode) => {
    expect(decidePermission(call('Bash', touch, { mode, rules: allow }))).toEqual({
      behavior: 'allow',
    });
  });
});

test.each([
  ['default', 'ask', 'ask', 'allow'],
  ['acceptEdits', 'ask', 'allow', 'allow'],
  ['plan', 'deny', 'deny', 'allow'],
  ['bypassPermissions', 'allow', 'allow', 'allow'],
  ['dontAsk', 'deny', 'deny', 'allow'],
] as const)(
  'without a rule, mode %s: a writing command %s, an edit %s, a read %s',
  (mode, bash, edit, read) => {
    const decide = (tool: string, input: unknown) =>
      decidePermission(call(tool, input, { mode })).behavior;

    expect(decide('Bash', touch)).toBe(bash);
    expect(decide('Write', write)).toBe(edit);
    expect(decide('Edit', write)).toBe(edit);
    expect(decide('Read', { file_path: 'a.txt' })).toBe(read);
  },
);

test('plan mode says so, and an allow rule does not open a file for it', () => {
  const decision = decidePermission(
    call('Write', write, { mode: 'plan', rules: rules('allow', ['Write', 'Edit']) }),
  );

  expect(decision).toMatchObject({ behavior: 'deny', reason: { type: 'mode', mode: 'plan' } });
  expect(decision).toHaveProperty('message', expect.stringMatching(/^Plan mode is on/));
});

test.each([
  ['Read', { file_path: '/etc/passwd' }, '/etc/passwd'],
  ['Read', { file_path: '../other/a' }, '/other/a'],
  ['Grep', { pattern: 'x', path: '/etc' }, '/etc'],
  ['Glob', { pattern: '/etc/*' }, '/etc'],
  ['Glob', { pattern: '../*' }, '/'],
  ['Glob', { pattern: '{/etc,a}/*' }, '/'],
  ['Write', { file_path: '/etc/x' }, '/etc/x'],
])('%s %j outside the working folders asks and names the place', (tool, input, blockedPath) => {
  const question = asked(call(tool, input, { mode: 'acceptEdits' }));

  expect(question).toMatchObject({ reason: { type: 'outside_working_directories' }, blockedPath });
});

test.each([
  ['Grep', { pattern: 'x' }],
  ['Glob', { pattern: 'src/**/*.ts' }],
  ['Read', { file_path: '/extra/a' }],
])('%s %j inside the working folders needs no permission', (tool, input) => {
  const decision = decidePermission(
    call(tool, input, { workingDirectories: ['/project', '/extra'] }),
  );

  expect(decision.behavior).toBe('allow');
});

test('a link that leads outside is outside', () => {
  const read = call('Read', { file_path: '/project/link' }, { realPaths: ['/etc/passwd'] });

  expect(asked(read).blockedPath).toBe('/etc/passwd');
  expect(decidePermission({ ...read, rules: rules('allow', ['Read(./**)']) }).behavior).toBe('ask');
});

test('Read and Edit rules speak of all tools that read and write files', () => {
  const denied = rules('deny', ['Read(./secrets/**)', 'Edit(./src/**)']);
  const decide = (tool: string, input: unknown) =>
    decidePermission(call(tool, input, { rules: denied, mode: 'bypassPermissions' })).behavior;

  expect(decide('Grep', { pattern: 'x', path: 'secrets' })).toBe('deny');
  expect(decide('Write', { file_path: 'src/a.ts' })).toBe('deny');
  expect(decide('Write', { file_path: 'test/a.ts' })).toBe('allow');
});

test.each([
  ['cat a.txt | head', 'allow'],
  ['ls 2>/dev/null', 'allow'],
  ["grep -n '/path' src/a.ts", 'allow'],
  ['git log main..dev', 'allow'],
  ['cat /etc/passwd', 'ask'],
  ['cat ../a', 'ask'],
  ['cat ~/.ssh/id', 'ask'],
  ['cat $HOME/x', 'ask'],
  ['cat {/etc,a}/passwd', 'ask'],
  ['cat .*/a', 'ask'],
  ['git -C/other log', 'ask'],
  ['git --git-dir=/other log', 'ask'],
  ['cd / && cat etc/passwd', 'ask'],
  ['cd ../.. && cat x', 'ask'],
  ['cd src && cat a.txt', 'allow'],
  ['cd src && cat ../../x', 'ask'],
  ['cd src; cd ..; cat ../a', 'ask'],
  ['cd "$HOME" && cat x', 'ask'],
  ['cd - && cat x', 'ask'],
  ['cd', 'ask'],
  ['cd src && git status', 'ask'],
  ['cd secrets && cat key', 'deny'],
  ['cat secrets/key', 'deny'],
  ['cat "secrets"/*', 'deny'],
])('a read-only command that looks at files: %j, %s', (command, behavior) => {
  const decision = decidePermission(
    call(
      'Bash',
      { command },
      {
        isReadOnlyCommand,
        rules: rules('deny', ['Read(./secrets/**)']),
      },
    ),
  );

  expect(decision.behavior).toBe(behavior);
});

test('a line of read-only commands with a comment is read-only', () => {
  const decide = (command: string) =>
    decidePermission(call('Bash', { command }, { isReadOnlyCommand: (text) => text === 'ls' }))
      .behavior;

  expect(['# look\nls', 'ls\nls', 'ls\nrm x', 'ls $(ls)', '# only'].map(decide)).toEqual([
    'allow',
    'allow',
    'ask',
    'ask',
    'ask',
  ]);
});

test.each([
  '.git/hooks/pre-commit',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.CLAUDE/commands/x.md',
  'sub/.git/config',
  '.bashrc',
  '.mcp.json',
  '.npmrc',
  '.devcontainer/devcontainer.json',
  '.config/git/hooks/pre-push',
  'sub/.pre-commit-config.yaml',
  '.claude/worktrees/one/.envrc',
  '.claude/worktrees/one/.claude/settings.json',
])('%s is not edited without a question, whatever allows edits', (file) => {
  const edit = call(
    'Edit',
    { file_path: file },
    { mode: 'acceptEdits', rules: rules('allow', ['Edit']) },
  );

  expect(asked(edit).reason).toEqual({ type: 'protected_path', path: `/project/${file}` });
});

test.each([
  '.github/workflows/ci.yml',
  '.gitignore',
  'src/claude.ts',
  '.claude/worktrees/one/src/a.ts',
])('%s is an ordinary file', (file) => {
  expect(
    decidePermission(call('Edit', { file_path: file }, { mode: 'acceptEdits' })).behavior,
  ).toBe('allow');
});

test('a worktree inside .claude is an ordinary folder', () => {
  const folder = '/project/.claude/worktrees/one';
  const edit = (file: string) =>
    decidePermission(
      call(
        'Edit',
        { file_path: file },
        { mode: 'acceptEdits', workingDirectory: folder, workingDirectories: [folder] },
      ),
    ).behavior;

  expect(edit('a.ts')).toBe('allow');
  expect(edit('.claude/settings.json')).toBe('ask');
});

test.each([
  ['mcp__calc', 'mcp__calc__add', 'allow'],
  ['mcp__calc__*', 'mcp__calc__add', 'allow'],
  ['mcp__calc__add', 'mcp__calc__add', 'allow'],
  ['mcp__calc__add', 'mcp__calc__addition', 'ask'],
  ['mcp__calc', 'mcp__calculator__add', 'ask'],
  ['WebFetch(domain:a.org)', 'WebFetch', 'allow'],
  ['WebFetch(domain:b.org)', 'WebFetch', 'ask'],
  ['WebFetch(domain:*.org)', 'WebFetch', 'allow'],
  ['Old', 'New', 'allow'],
])('allow rule %s, tool %s: %s', (rule, name, behavior) => {
  const decision = decidePermission(
    call(
      name,
      { url: 'https://a.org/x' },
      { tool: { name, aliases: ['Old'] }, rules: rules('allow', [rule]) },
    ),
  );

  expect(decision.behavior).toBe(behavior);
});

test("a hook's yes replaces the question but no rule", () => {
  const hook = { behavior: 'allow', text: 'fine' } as const;
  const decide = (behavior: 'deny' | 'ask') =>
    decidePermission(call('Bash', touch, { hook, rules: rules(behavior, ['Bash']) })).behavior;

  expect(decidePermission(call('Bash', touch, { hook })).behavior).toBe('allow');
  expect([decide('deny'), decide('ask')]).toEqual(['deny', 'ask']);
});

test("a hook's question is asked even if a rule allows", () => {
  const hook = { behavior: 'ask', text: 'are you sure?' } as const;

  const question = asked(call('Bash', touch, { hook, rules: rules('allow', ['Bash']) }));

  expect(question.reason).toEqual({ type: 'hook', text: 'are you sure?' });
  expect(question.message).toContain('are you sure?');
});

test.each(MODES)('a question to the user stays a question in mode %s', (mode) => {
  const decision = decidePermission(
    call('AskUserQuestion', {}, { mode, rules: rules('allow', ['*']) }),
  );

  expect(decision.behavior).toBe(mode === 'dontAsk' ? 'deny' : 'ask');
});

test.each([
  ['Bash', { command: 'touch x.txt' }, "--allowedTools 'Bash(touch:*)'"],
  ['Bash', { command: 'npm run build && ls' }, "--allowedTools 'Bash(npm run:*)' 'Bash(ls:*)'"],
  ['Bash', { command: 'rm x' }, "--allowedTools 'Bash(rm x)'"],
  ['Bash', { command: 'echo $(date)' }, "--allowedTools 'Bash(echo $(date))'"],
  ['Write', write, "--allowedTools 'Edit(//project/new.txt)'"],
  ['Read', { file_path: '/etc/passwd' }, 'Allow the folder: --add-dir /etc'],
  ['Grep', { path: '/etc' }, 'Allow the folder: --add-dir /etc'],
  ['mcp__calc__add', {}, '--allowedTools mcp__calc__add'],
  ['Edit', { file_path: '.git/config' }, '--permission-mode bypassPermissions'],
])('with nobody to ask, %s %j is denied with the flag that would allow it', (tool, input, flag) => {
  const denial = deniedForNobodyToAsk(asked(call(tool, input)));

  expect(denial.behavior).toBe('deny');
  expect(denial.message).toContain('Nobody can be asked');
  expect(denial.cure).toContain(flag);
  expect(denial.cure).not.toContain('/etc/');
});

test('what a denial suggests does let the call through', () => {
  for (const [tool, input] of [
    ['Bash', { command: 'npm run build && ls | wc -l' }],
    ['Bash', { command: 'echo $(date) > x' }],
    ['Write', write],
    ['Read', { file_path: '/etc/passwd' }],
    ['Grep', { pattern: 'x', path: '/etc' }],
  ] as const) {
    const { suggestedRules } = asked(call(tool, input));

    const decision = decidePermission(call(tool, input, { rules: rules('allow', suggestedRules) }));

    expect(decision).toEqual({ behavior: 'allow' });
  }
});
