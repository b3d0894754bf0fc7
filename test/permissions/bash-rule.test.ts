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
  ['Bash(npm:*)', 'cd sub && npm ci'],
  ['Bash(npm test:*)', 'timeout 30 npm test'],
  ['Bash(npm test:*)', 'nohup nice -n 5 timeout -k 5s -s KILL 1m npm test x'],
  ['Bash(npm test)', 'time -p npm test'],
  ['Bash(npm test)', 'stdbuf -oL -eL npm test'],
  ['Bash(grep:*)', 'ls | xargs grep x'],
  ['Bash(watch npm test)', 'watch npm test'],
  ['Bash(find . -delete)', 'find . -delete'],
  ['Bash(find *)', "find . -name '*.ts'"],
  ['Bash(CI=1 npm test:*)', 'CI=1 npm test -w'],
  ['Bash(touch:*)', 'touch x.txt'],
  ['Bash', 'anything $(at all)'],
  ['Bash(echo $(date))', 'echo $(date)'],
])('%s allows %j', (rule, command) => {
  expect(decide('allow', rule, command)).toBe('allow');
});

test.each([
  ['Bash(npm test)', 'npm test x'],
  ['Bash(git * main)', 'git $word main'],
  ['Bash(git * main)', 'git {,} main'],
  ['Bash(git * main)', 'git `true` main'],
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
  ['Bash(npm:*)', 'npm ci | ls ../other'],
  ['Bash(npm:*)', 'cd .. && npm ci'],
  ['Bash(npm test)', 'npm test\u00a0'],
  ['Bash(make*)', 'make= rm x'],
  ['Bash(CI=1 make*)', 'CI=1 make= rm x'],
  ['Bash(* --version)', 'LD_PRELOAD=./x.so npm --version'],
  ['Bash(npm test)', 'ls | xargs npm test'],
  ['Bash(npm test:*)', 'ls | xargs -n1 npm test'],
  ['Bash(npm test:*)', 'timeout $X npm test'],
  ['Bash(npm test:*)', 'env npm test'],
  ['Bash(watch *)', 'watch npm test'],
  ['Bash(watch *)', 'nohup watch npm test'],
  ['Bash(find *)', 'find . -exec rm {} +'],
  ['Bash(find *)', 'find *'],
  ['Bash(find *)', 'ls | xargs find .'],
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
  '{rm,x}',
  'ls {a,b};{rm,x}',
  '>made rm x',
  'ls 2>made;rm x',
  "test -v 'a[$(rm x)]'",
  "declare -i 'n=a[`rm x`]'",
  'trap "rm x" EXIT',
  'echo rm x | sh',
  "echo 'ls; rm x' | bash -s",
  '. <(echo rm x)',
  'flock f rm x',
])('Bash(rm:*) denies %j', (command) => {
  expect(decide('deny', 'Bash(rm:*)', command)).toBe('deny');
});

test.each(['echo rm', 'git rm x', 'rmdir x', 'echo "a; rm x"', 'ls # rm'])(
  'Bash(rm:*) does not deny %j',
  (command) => {
    expect(decide('deny', 'Bash(rm:*)', command)).not.toBe('deny');
  },
);

test.each([
  ['a wrapper in a wrapper', 'nice '.repeat(500)],
  ['a shell in a shell', 'sh -c '.repeat(500)],
  ['many commands', '(ls a)\n'.repeat(3_000)],
])('%s is looked through in good time', (_, line) => {
  expect(decide('deny', 'Bash(rm:*)', `${line} rm x`)).toBe('deny');
});
