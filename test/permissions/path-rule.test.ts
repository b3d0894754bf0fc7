import { isSeenByPathRule } from '../../src/permissions/path-rule';
import type { RuleSource } from '../../src/permissions/rule';
import { rules } from './call';

const isSeen = (
  pattern: string,
  file: string,
  {
    behavior = 'deny',
    source = 'project',
  }: { behavior?: 'deny' | 'allow'; source?: RuleSource } = {},
) => isSeenByPathRule(rules(behavior, [`Read(${pattern})`], source)[0]!, file);

test.each([
  ['./secrets/**', '/project/secrets/deep/key', true],
  ['./secrets/**', '/project/secrets', true],
  ['./secrets/**', '/project/other/secrets/key', false],
  ['secrets/**', '/project/secrets/key', true],
  ['.env', '/project/a/.env', true],
  ['*.env', '/project/prod.env', true],
  ['.env', '/project/.envrc', false],
  ['**/key', '/project/a/b/key', true],
  ['src', '/project/src/a.ts', true],
  ['//etc/**', '/etc/passwd', true],
  ['//etc/**', '/project/etc/passwd', false],
  ['~/.ssh/**', '/home/ann/.ssh/id', true],
  ['~/.ssh/**', '/home/bob/.ssh/id', false],
  ['./**', '/project', true],
  ['./**', '/project-b/a', false],
  ['./a.txt', '/project', false],
])('Read(%s) and %s: %s', (pattern, file, expected) => {
  expect(isSeen(pattern, file)).toBe(expected);
});

test('/x begins where the settings are', () => {
  expect(isSeen('/x', '/project/x')).toBe(true);
  expect(isSeen('/x', '/project/x', { source: 'user' })).toBe(false);
  expect(isSeen('/x', '/home/ann/.claude/x', { source: 'user' })).toBe(true);
});

test('another case is the same file for a prohibition, not for a permission', () => {
  expect(isSeen('./Secrets/**', '/project/secrets/key')).toBe(true);
  expect(isSeen('./Secrets/**', '/project/secrets/key', { behavior: 'allow' })).toBe(false);
});
