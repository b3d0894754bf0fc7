// The folder rule: dependencies point inwards (ARCHITECTURE.md). Each folder names what it must not import.
const tseslint = require('typescript-eslint');
const temporal = require('eslint-plugin-temporal');

const outside = (folders) => folders.map((folder) => `**/${folder}/**`);
const nodeBuiltins = require('node:module').builtinModules.flatMap((name) => [
  name,
  `node:${name}`,
]);

/** Values of these may not be imported by the folder; types may, where `types` is set. */
const forbid = (folder, { values, message, types = false, builtins = false }) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        ...(builtins && { paths: nodeBuiltins.map((name) => ({ name, message })) }),
        patterns: [{ group: values, message, allowTypeImports: types }],
      },
    ],
  },
});

/** Of `node:fs`, each also with `Sync`. */
const FILE_CHANGES = [
  'createWriteStream',
  ...[
    'open',
    'write',
    'writeFile',
    'appendFile',
    'rename',
    'link',
    'symlink',
    'unlink',
    'rm',
    'rmdir',
    'mkdir',
    'mkdtemp',
    'truncate',
    'ftruncate',
    'fsync',
    'fdatasync',
    'chmod',
    'copyFile',
    'cp',
    'utimes',
  ].flatMap((name) => [name, `${name}Sync`]),
];

module.exports = tseslint.config(
  {
    ignores: [
      'dist',
      'coverage',
      'node_modules',
      '.stryker-tmp',
      'reports',
      'test/replay/histories',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    rules: {
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      // Generators and interface methods are async by contract, whether or not this one waits.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-invalid-void-type': [
        'error',
        { allowInGenericTypeArguments: true, allowAsThisParameter: false },
      ],
    },
  },
  {
    files: ['src/workflows/**/*.ts'],
    plugins: { temporal },
    rules: { ...temporal.configs?.workflow?.rules },
  },
  forbid('loop', {
    values: [
      ...outside([
        'workflows',
        'activities',
        'tools',
        'transcript',
        'client',
        'cli',
        'server',
        'settings',
      ]),
      '@temporalio/*',
      '@anthropic-ai/*',
      'zod',
    ],
    builtins: true,
    types: true,
    message: 'src/loop is pure: it imports itself and types only.',
  }),
  forbid('workflows', {
    values: [
      ...outside(['activities', 'tools', 'transcript', 'client', 'cli', 'server', 'settings']),
      '@anthropic-ai/*',
      'zod',
    ],
    types: true,
    message:
      'src/workflows is deterministic: types may come from elsewhere, values from src/loop only.',
  }),
  forbid('client', {
    values: [...outside(['activities', 'cli', 'tools']), '**/config', '**/worker'],
    types: true,
    message: 'src/client never imports activities, config or worker.',
  }),
  forbid('activities', {
    values: [...outside(['workflows', 'client', 'cli']), '**/worker'],
    types: true,
    message: 'Activities know nothing of Workflows, clients or the command line.',
  }),
  forbid('in-process', {
    values: [...outside(['workflows', 'client', 'cli', 'server']), '**/worker', '@temporalio/*'],
    types: true,
    message: 'The in-process host runs without Temporal.',
  }),
  forbid('hooks', {
    values: [
      ...outside(['activities', 'workflows', 'transcript', 'client', 'cli', 'server']),
      '@temporalio/*',
    ],
    types: true,
    message: 'Hooks know settings, permissions and processes, not who runs them.',
  }),
  ...['pi', 'template'].map((folder) =>
    forbid(folder, {
      values: [...outside(['workflows', 'activities', 'client', 'cli', 'server']), '@temporalio/*'],
      types: true,
      message: 'A public module of its own: it runs the loop without Temporal.',
    }),
  ),
  forbid('tools', {
    values: [...outside(['activities', 'workflows', 'client', 'cli'])],
    types: true,
    message: 'A tool knows the loop, the store and permissions at most.',
  }),
  {
    files: ['src/{transcript,tools,recovery,activities}/**/*.ts', 'src/cli/background.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['node:fs', 'node:fs/promises'].map((name) => ({
            name,
            importNames: FILE_CHANGES,
            message:
              'What changes files goes through src/disk, so that it can be killed at any operation and simulated.',
          })),
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
