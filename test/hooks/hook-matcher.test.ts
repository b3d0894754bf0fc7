import { toHookMatcher } from '../../src/hooks/hook-matcher';

test.each([
  [undefined, 'Bash', true],
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['bash', 'Bash', false],
  ['Write|Edit', 'Edit', true],
  ['Write|Edit', 'NotebookEdit', false],
  ['Write, Edit', 'Edit', true],
  ['mcp__my-server__read', 'mcp__my-server__read', true],
  ['mcp__memory__.*', 'mcp__memory__read', true],
  ['Edit.*', 'NotebookEdit', true],
  ['^Notebook', 'NotebookEdit', true],
  ['^Notebook', 'Edit', false],
])('matcher %p and value %p: %p', (pattern, value, expected) => {
  expect(toHookMatcher(pattern)(value)).toBe(expected);
});
