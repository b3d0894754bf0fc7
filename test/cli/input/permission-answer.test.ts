import { toPermissionAnswer } from '../../../src/cli/input/permission-answer';
import { NO_GRANTS } from '../../../src/transcript/permission';

const by = 'host';

test.each([
  [{ behavior: 'allow' }, { behavior: 'allow', by }],
  [
    { behavior: 'allow', updatedInput: { command: 'ls' } },
    { behavior: 'allow', updatedInput: { command: 'ls' }, by },
  ],
  [
    { behavior: 'allow', updatedInput: null, updatedPermissions: null },
    { behavior: 'allow', by },
  ],
  [
    { behavior: 'deny', message: 'No.' },
    { behavior: 'deny', message: 'No.', by },
  ],
  [
    { behavior: 'deny', message: 'No.', interrupt: true },
    { behavior: 'deny', message: 'No.', interrupt: true, by },
  ],
  [
    { behavior: 'deny', message: 'No.', interrupt: false },
    { behavior: 'deny', message: 'No.', by },
  ],
  [{ behavior: 'deny' }, { behavior: 'deny', message: 'The permission was denied.', by }],
])('%j is read', (response, expected) => {
  expect(toPermissionAnswer(response, '')).toEqual(expected);
});

test('a host that fails has said no, for its reason', () => {
  expect(toPermissionAnswer(null, 'window closed')).toEqual({
    behavior: 'deny',
    message: 'The permission question failed: window closed',
    by,
  });
});

test.each([{}, { behavior: 'maybe' }, { behavior: 'allow', updatedInput: 'ls' }])(
  '%j is neither yes nor no, so it is a no that says so',
  (response) => {
    expect(toPermissionAnswer(response, '')).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining(JSON.stringify(response)) as unknown,
    });
  },
);

test('updates become rules and folders of the session', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }];

  const answer = toPermissionAnswer(
    {
      behavior: 'allow',
      updatedPermissions: [
        { type: 'addRules', rules, behavior: 'allow', destination: 'session' },
        { type: 'addRules', rules: [{ toolName: 'Write' }], behavior: 'deny' },
        { type: 'addDirectories', directories: ['/elsewhere'], destination: 'session' },
      ],
    },
    '',
  );

  expect(answer).toMatchObject({
    grants: {
      ...NO_GRANTS,
      allow: ['Bash(npm test:*)', 'Read'],
      deny: ['Write'],
      directories: ['/elsewhere'],
    },
  });
});

test('an update that a session cannot keep is left out, the others count', () => {
  const updatedPermissions = [
    { type: 'setMode', mode: 'acceptEdits' },
    { type: 'addDirectories', directories: ['/elsewhere'] },
  ];

  const answer = toPermissionAnswer({ behavior: 'allow', updatedPermissions }, '');

  expect(answer).toMatchObject({ grants: { ...NO_GRANTS, directories: ['/elsewhere'] } });
});
