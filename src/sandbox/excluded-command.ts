import { isAllowedByBashRules } from '../permissions/bash-rule';
import { parseRule, type PermissionRule } from '../permissions/rule';

const ANYWHERE = {
  source: 'session',
  workingDirectory: '/',
  settingsFolder: '/',
  homeFolder: '/',
} as const;

/** Whether all commands of a line are among those that run outside of the sandbox. An entry is a command with its
 *  arguments, or the beginning of one: `docker`, `docker *`, `npm run deploy:*`. */
export function excludes(entries: readonly string[], line: string): boolean {
  // An entry without a name would fit every command.
  const named = entries.filter((entry) => !/^[\s:*]*$/.test(entry));
  if (named.length === 0) return false;
  const rules = named.flatMap((entry) => [toRule(entry), toRule(`${entry}:*`)]);
  return isAllowedByBashRules(rules, line, () => false);
}

function toRule(entry: string): PermissionRule {
  const { tool, content } = parseRule(`Bash(${entry})`);
  return { behavior: 'allow', tool, content, origin: ANYWHERE };
}
