import { isAllowedByBashRules, isSeenByBashRule } from './bash-rule';
import { accessOf, textField } from './file-target';
import { isSeenByPathRule } from './path-rule';
import type { PermissionRule } from './rule';
import type { ShellCommand } from './shell-words';

/** A call as rules see it. */
export interface MatchedCall {
  readonly tool: { readonly name: string; readonly aliases: readonly string[] };
  readonly input: unknown;
  /** Files the call is about; empty: it is no call of a file tool. */
  readonly paths: readonly string[];
}

/** The first rule that speaks of any part of the call: for prohibitions and questions. */
export function findRule(
  rules: readonly PermissionRule[],
  behavior: 'deny' | 'ask',
  call: MatchedCall,
): PermissionRule | undefined {
  return rules.find((rule) => {
    if (rule.behavior !== behavior || !isOfTool(rule, call)) return false;
    if (rule.content === null) return true;
    if (call.tool.name === 'Bash') return isSeenByBashRule(rule, textField(call.input, 'command'));
    if (call.paths.length > 0) return call.paths.some((file) => isSeenByPathRule(rule, file));
    return fitsSubject(rule.content, call);
  });
}

/** Whether allow rules cover the whole call. */
export function isAllowedByRules(
  rules: readonly PermissionRule[],
  call: MatchedCall,
  isHarmlessCommand: (command: ShellCommand) => boolean,
): boolean {
  const allowing = rules.filter((rule) => rule.behavior === 'allow' && isOfTool(rule, call));
  if (allowing.length === 0) return false;
  if (allowing.some(({ content }) => content === null)) return true;
  if (call.tool.name === 'Bash')
    return isAllowedByBashRules(allowing, textField(call.input, 'command'), isHarmlessCommand);
  if (call.paths.length > 0)
    return call.paths.every((file) => allowing.some((rule) => isSeenByPathRule(rule, file)));
  return allowing.some(({ content }) => content !== null && fitsSubject(content, call));
}

/** `Edit(path)` speaks of every tool that writes files and `Read(path)` of every one that reads them. */
function isOfTool(rule: PermissionRule, { tool }: MatchedCall): boolean {
  if (rule.tool === '*' || rule.tool === tool.name || tool.aliases.includes(rule.tool)) return true;
  if (rule.tool.startsWith('mcp__')) return tool.name.startsWith(mcpPrefix(rule.tool));
  if (rule.content === null) return false;
  const access = accessOf(tool.name);
  return (
    (rule.tool === 'Edit' && access === 'write') || (rule.tool === 'Read' && access === 'read')
  );
}

function mcpPrefix(tool: string): string {
  return tool.endsWith('*') ? tool.slice(0, -1) : `${tool}__`;
}

/** What the parentheses mean for the other tools: `WebFetch(domain:example.com)`, `Agent(explorer)`, `Skill(name)`. */
function fitsSubject(content: string, { input }: MatchedCall): boolean {
  const domain = /^domain:(?<any>\*\.)?(?<host>.+)$/.exec(content)?.groups;
  if (domain === undefined)
    return ['subagent_type', 'skill'].some((field) => textField(input, field) === content);
  const url = textField(input, 'url');
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname;
  return domain['any'] === undefined
    ? host === domain['host']
    : host.endsWith(`.${domain['host'] ?? ''}`);
}
