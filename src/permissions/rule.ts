/** One line of a permission list, such as `Bash(npm test:*)` or `Read(./secrets/**)`. JSON. */
export interface PermissionRule {
  readonly behavior: RuleBehavior;
  /** A tool, `mcp__server`, `mcp__server__*`, or `*` for all. */
  readonly tool: string;
  /** What stands in the parentheses; null: every call of the tool. */
  readonly content: string | null;
  readonly origin: RuleOrigin;
}

export type RuleBehavior = 'deny' | 'ask' | 'allow';

/** Who wrote a rule and where its paths begin. All folders absolute. */
export interface RuleOrigin {
  readonly source: RuleSource;
  /** Of `./x` and `x`. */
  readonly workingDirectory: string;
  /** Of `/x`: the project, or the folder of the user's settings. */
  readonly settingsFolder: string;
  /** Of `~/x`. */
  readonly homeFolder: string;
}

/** Strongest first; a session's own are what people granted while it ran. */
export type RuleSource = 'managed' | 'cli' | 'local' | 'project' | 'user' | 'session';

/** A rule cannot be read. The message names it and the cure. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

/** Fails: RuleError. */
export function parseRule(text: string): Pick<PermissionRule, 'tool' | 'content'> {
  const match = /^(?<tool>\*|[\w-]+\*?)(?:\((?<content>[^]*)\))?$/.exec(text.trim());
  if (match?.groups?.['tool'] === undefined) {
    throw new RuleError(
      `Permission rule "${text}" cannot be read. Write it as Tool or Tool(content), for example Bash(npm test:*).`,
    );
  }
  const content = match.groups['content']?.trim() ?? '';
  return {
    tool: match.groups['tool'],
    content: content === '' || content === '*' ? null : content,
  };
}

export function toRules(
  behavior: RuleBehavior,
  texts: readonly string[],
  origin: RuleOrigin,
): readonly PermissionRule[] {
  return texts.map((text) => ({ behavior, ...parseRule(text), origin }));
}

export function toRuleText(rule: Pick<PermissionRule, 'tool' | 'content'>): string {
  return rule.content === null ? rule.tool : `${rule.tool}(${rule.content})`;
}

/** Takes a command-line list apart: `Read,Bash(git log:*) Edit`. Commas and blanks in parentheses belong to a rule. */
export function splitRuleList(list: string): readonly string[] {
  return list.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [];
}
