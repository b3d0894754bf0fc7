import { parseCommand } from '../../src/cli/parse-command';
import { NOT_YET } from '../../src/cli/not-yet';

const parse = (...args: string[]) => parseCommand(args, '1.2.3');

test('the words of the Agent SDK are a print command without a prompt', () => {
  const command = parse(
    ...['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
    ...['--model=claude-sonnet-4-5', '--permission-mode=acceptEdits', '--max-turns=3'],
    ...['--include-partial-messages', '--setting-sources=', '--tools='],
  );

  expect(command).toEqual({
    type: 'print',
    prompt: null,
    inputFormat: 'stream-json',
    output: {
      format: 'stream-json',
      verbose: true,
      includePartials: true,
      replayPrompts: false,
      includeHooks: false,
    },
    mayBypassPermissions: false,
    session: { type: 'new', sessionId: null },
    persistent: true,
    run: {
      model: 'claude-sonnet-4-5',
      permissionMode: 'acceptEdits',
      maxTurns: 3,
      tools: [],
    },
    settings: { extra: null, sources: [] },
    warnings: [],
  });
});

test.each([
  [['--allowedTools=Read,Bash(git log:*, git diff)']],
  [['--allowedTools', 'Read,Bash(git log:*, git diff)']],
  [['--allowed-tools', 'Read Bash(git log:*, git diff)']],
  [['--allowedTools', 'Read', 'Bash(git log:*, git diff)']],
  [['--allowedTools', 'Read', '--allowedTools', 'Bash(git log:*, git diff)']],
])('%j is a list of two rules', (args) => {
  expect(parse('-p', 'go', ...args)).toMatchObject({
    prompt: 'go',
    run: { allowedTools: ['Read', 'Bash(git log:*, git diff)'] },
  });
});

test.each(['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'])(
  'permission mode %s is taken as it is',
  (permissionMode) => {
    const command = parse('-p', 'go', '--permission-mode', permissionMode);

    expect(command).toMatchObject({ run: { permissionMode }, warnings: [] });
  },
);

test('of two values for one flag the last one holds', () => {
  const command = parse('-p', 'go', '--output-format', 'json', '--output-format', 'text');

  expect(command).toMatchObject({ output: { format: 'text' } });
});

test('"default" offers all tools, and an empty value none', () => {
  expect(parse('-p', 'go', '--tools=default')).toMatchObject({ run: { tools: null } });
  expect(parse('-p', 'go', '--tools', '')).toMatchObject({ run: { tools: [] } });
});

test.each([
  [['--bogus'], '--bogus'],
  [['--max-turns', '0'], "'0'"],
  [['--max-turns=many'], "'many'"],
  [['--permission-mode=sometimes'], 'acceptEdits'],
  [['--output-format=xml'], 'stream-json'],
  [['--effort=some'], 'xhigh'],
  [['--session-id', '42'], 'UUID'],
  [['--setting-sources=user,other'], "'other'"],
  [['--input-format=stream-json'], '--output-format'],
  [['--resume', 'a', '--continue'], '--resume and --continue'],
  [['--model'], '--model'],
  [['--fork-session'], '--resume'],
  [['--continue', '--resume-session-at', '11111111-2222-4333-8444-555555555555'], '--resume'],
  [['-r', 'a', '--resume-session-at', '42'], 'UUID'],
  [
    ['-r', 'a', '--resume-drops-turn', '11111111-2222-4333-8444-555555555555'],
    '--resume-session-at',
  ],
])('%j fails and names the argument, the value or the cure', (args, named) => {
  expect(() => parse('-p', 'go', ...args)).toThrow(named);
});

test.each(NOT_YET)('$flags is known and warned of', ({ flags }) => {
  const flag = /--[a-z-]+/.exec(flags)![0];
  const value = flags.includes('<') ? ['1'] : [];

  expect(parse('-p', 'go', flag, ...value)).toMatchObject({
    prompt: 'go',
    warnings: [expect.stringContaining(flag)],
  });
});

const ID = '11111111-2222-4333-8444-555555555555';

test.each([
  [['-r', 'abc', '--fork-session'], { type: 'fork', of: 'abc', sessionId: null }],
  [['-r', 'abc', '--fork-session', '--session-id', ID], { type: 'fork', of: 'abc', sessionId: ID }],
  [['-c', '--fork-session'], { type: 'fork', of: null, sessionId: null }],
  [
    ['-r', 'abc', `--resume-session-at=${ID}`],
    { type: 'resume', sessionId: 'abc', point: { at: ID } },
  ],
  [
    ['-r', 'abc', `--resume-session-at=${ID}`, `--resume-drops-turn=${ID}`],
    { type: 'resume', sessionId: 'abc', point: { at: ID, dropsTurn: ID } },
  ],
])('%j says which session is meant, and where it goes on', (args, session) => {
  expect(parse('-p', 'go', ...args)).toMatchObject({ session });
});

test('a subcommand is one as the first word only', () => {
  expect(parse('ls', '--json')).toEqual({ type: 'list', json: true, query: null });
  expect(parse('-p', 'ls')).toMatchObject({ type: 'print', prompt: 'ls' });
});

test.each([
  [['worker', '--tools', './a.ts,b.js'], { type: 'worker', files: ['./a.ts', 'b.js'] }],
  [['stop', 'abc'], { type: 'stop', selectors: ['abc'], json: false }],
  [
    ['steer', 'abc', '--now', 'Hurry.'],
    { type: 'steer', selector: 'abc', text: 'Hurry.', priority: 'now' },
  ],
  [['pause', 'abc', 'b'], { type: 'pause', selectors: ['abc', 'b'], json: false }],
  [['budget', 'abc'], { type: 'adjust', adjustment: null }],
  [
    ['budget', 'abc', '--minutes', '1.5', '--usd', '2'],
    { type: 'adjust', adjustment: { maxMs: 90_000, maxBudgetUsd: 2 } },
  ],
  [
    ['set', 'abc', '--permission-mode', 'plan', '--json'],
    { type: 'adjust', adjustment: { permissionMode: 'plan' }, json: true },
  ],
  [['server', 'status', '--json'], { type: 'server', action: 'status', json: true }],
  [['doctor', '--repair'], { type: 'doctor', repair: true }],
  [
    ['attach', 'abc', '--output-format=stream-json'],
    { type: 'attach', sessionId: 'abc', output: { format: 'stream-json' } },
  ],
  [
    ['run', '--detach', 'do it', '--model=opus'],
    { type: 'run', prompt: 'do it', run: { model: 'opus' } },
  ],
  [
    ['-p', 'go', '--effort=high', '--betas', 'one,two'],
    { prompt: 'go', run: { effort: 'high', betas: ['one', 'two'] } },
  ],
  [['-c', '-p', 'go'], { session: { type: 'continue' } }],
  [['-r', 'abc', '-p', 'go'], { session: { type: 'resume', sessionId: 'abc' } }],
  [['-p', '--dangerously-skip-permissions'], { run: { permissionMode: 'bypassPermissions' } }],
  [['--version'], { type: 'show', text: '1.2.3\n' }],
  [[], { type: 'interactive' }],
])('%j', (args, command) => {
  expect(parse(...args)).toMatchObject(command);
});
