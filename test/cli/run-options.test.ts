import { defaultRunOptions, toRunOptions } from '../../src/cli/run-options';

const SETTINGS = {
  model: 'haiku',
  defaultMode: 'plan',
  additionalDirectories: ['/more'],
  autoCompact: true,
} as const;
const CONFIG = {
  model: 'opus',
  maxThinkingTokens: 0,
  autoCompact: true,
  toolUseSummaries: false,
  uiDetail: 'full' as const,
};
const DEFAULTS = {
  ...defaultRunOptions(CONFIG, SETTINGS),
  allowedTools: ['Read'],
};

test('the environment names a model before the settings do, which choose mode and folders', () => {
  expect(DEFAULTS).toMatchObject({
    model: 'claude-opus-5-5',
    permissionMode: 'plan',
    additionalDirectories: ['/more'],
  });
});

test('what the command line does not say comes from the defaults', () => {
  expect(toRunOptions({}, DEFAULTS, '/project')).toEqual(DEFAULTS);
});

test('the command line replaces values and adds to rules', () => {
  const options = toRunOptions(
    { model: 'haiku', maxTurns: 2, allowedTools: ['Bash', 'Read'] },
    DEFAULTS,
    '/project',
  );

  expect(options).toMatchObject({
    model: 'claude-haiku-5-5',
    maxTurns: 2,
    allowedTools: ['Read', 'Bash'],
  });
});

test('further folders are absolute, seen from the working folder', () => {
  const options = toRunOptions(
    { additionalDirectories: ['../shared', '/data'] },
    DEFAULTS,
    '/home/me/project',
  );

  expect(options.additionalDirectories).toEqual(['/more', '/home/me/shared', '/data']);
});
