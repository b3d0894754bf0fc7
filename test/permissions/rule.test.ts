import { parseRule, RuleError, splitRuleList, toRuleText } from '../../src/permissions/rule';

test.each([
  ['Bash', 'Bash', null],
  ['Bash()', 'Bash', null],
  ['Bash(*)', 'Bash', null],
  [' Bash(npm test:*) ', 'Bash', 'npm test:*'],
  ['Bash(echo (a))', 'Bash', 'echo (a)'],
  ['Read(./secrets/**)', 'Read', './secrets/**'],
  ['mcp__calc__add', 'mcp__calc__add', null],
  ['mcp__calc__*', 'mcp__calc__*', null],
  ['*', '*', null],
])('%j is read', (text, tool, content) => {
  expect(parseRule(text)).toEqual({ tool, content });
});

test.each(['', 'Bash(', 'Bash(a', '(a)', 'Ba sh', 'Bash(a)b'])(
  '%j is refused with a cure',
  (text) => {
    expect(() => parseRule(text)).toThrow(RuleError);
    expect(() => parseRule(text)).toThrow(
      `"${text}" cannot be read. Write it as Tool or Tool(content)`,
    );
  },
);

test('a rule is written as it was read', () => {
  expect(['Read', 'Bash(a b:*)'].map((text) => toRuleText(parseRule(text)))).toEqual([
    'Read',
    'Bash(a b:*)',
  ]);
});

test('commas and blanks separate rules only outside parentheses', () => {
  expect(splitRuleList('Read,Bash(git log:*, x) Edit, mcp__a')).toEqual([
    'Read',
    'Bash(git log:*, x)',
    'Edit',
    'mcp__a',
  ]);
});
