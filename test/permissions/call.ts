import type { PermissionCall } from '../../src/permissions/decide-permission';
import {
  toRules,
  type PermissionRule,
  type RuleBehavior,
  type RuleSource,
} from '../../src/permissions/rule';

export function rules(
  behavior: RuleBehavior,
  texts: readonly string[],
  source: RuleSource = 'cli',
): readonly PermissionRule[] {
  return toRules(behavior, texts, {
    source,
    workingDirectory: '/project',
    settingsFolder: source === 'user' ? '/home/ann/.claude' : '/project',
    homeFolder: '/home/ann',
  });
}

/** A call in /project, mode default, no rules. */
export function call(
  tool: string,
  input: unknown,
  rest: Partial<PermissionCall> = {},
): PermissionCall {
  return {
    tool: { name: tool, aliases: [] },
    input,
    mode: 'default',
    rules: [],
    workingDirectory: '/project',
    workingDirectories: ['/project'],
    readOnly: ['Read', 'Glob', 'Grep'].includes(tool),
    ...rest,
  };
}
