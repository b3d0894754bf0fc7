import { decidePermission } from '../../src/permissions/decide-permission';
import { call, rules } from './call';

const isLs = (command: string) => /^ls( |$)/.test(command);
const decide = (behavior: 'allow' | 'deny', rule: string, command: string) =>
  decidePermission(
    call('Bash', { command }, { rules: rules(behavior, [rule]), isReadOnlyCommand: isLs }),
  ).behavior;

test.each([
  ['Bash(npm test)', 'npm test'],
  ['Bash(npm test)', ' npm test '],
  ['Bash(npm test:*)', 'npm test'],
  ['Bash(npm test:*)', 'npm test -- --watch'],
  ['Bash(npm test:*)', 'npm test 2>&1'],
  ['Bash(npm test *)', 'npm test'],
  ['Bash(git * main)', 'git push origin main'],
  ['Bash(ls*)', 'lsof'],
  ['Bash(npm:*)', 'npm ci && npm test | ls -la'],
  ['Bash(touch:*)', 'touch x.txt'],
  ['Bash', 'anything $(at all)'],
  ['Bash(echo $(date))', 'echo $(date)'],
])('%s allows %j', (rule, command) => {
  expect(decide('allow', rule, command)).toBe('allow');
});

test.each([
  ['Bash(npm test)', 'npm test x'],
  ['Bash(npm test:*)', 'npm tests'],
  ['Bash(ls:*)', 'lsof'],
  ['Bash(npm:*)', 'npm ci && rm x'],
  ['Bash(npm:*)', 'npm ci & rm x'],
  ['Bash(npm:*)', 'npm ci\nrm x'],
  ['Bash(npm:*)', 'npm $(rm x)'],
  ['Bash(npm:*)', 'npm "`rm x`"'],
  ['Bash(npm:*)', 'npm x > file'],
  ['Bash(npm:*)', 'npm <<EOF\nEOF'],
  ['Bash(npm:*)', 'npm <(rm x)'],
  ['Bash(npm:*)', "npm 'x"],
  ['Bash(npm:*)', 'npm() { rm x; }; npm'],
  ['Bash(npm:*)', 'LD_PRELOAD=./x.so npm ci'],
  ['Bash(npm:*)', "npm x # it's\nrm x # '"],
  ['Bash(npm.test)', 'npm-test'],
  ['Bash(npm:*)', ''],
])('%s does not allow %j', (rule, command) => {
  expect(decide('allow', rule, command)).toBe('ask');
});

test.each([
  'rm x',
  'ls && rm x',
  'ls; rm',
  'ls | xargs rm',
  'A=1 rm x',
  'r\\m x',
  '"rm" x',
  '/bin/rm x',
  'sudo -n rm x',
  'timeout 5 rm x',
  'bash -c "rm x"',
  'eval rm x',
  'bash -c "sudo rm x"',
  'echo $(rm x)',
  'echo "`rm x`"',
  'f() { rm x; }; f',
  'if true; then rm x; fi',
  'ls & rm x > y',
  "echo 'unbalanced; rm x",
])('Bash(rm:*) denies %j', (command) => {
  expect(decide('deny', 'Bash(rm:*)', command)).toBe('deny');
});

test.each(['echo rm', 'git rm x', 'rmdir x', 'echo "a; rm x"', 'ls # rm'])(
  'Bash(rm:*) does not deny %j',
  (command) => {
    expect(decide('deny', 'Bash(rm:*)', command)).not.toBe('deny');
  },
);
