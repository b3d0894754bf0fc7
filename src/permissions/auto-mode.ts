import type { PermissionRule } from './rule';

/** How mode `auto` has fared in a session. JSON. */
export interface AutoModeTally {
  readonly denialsInARow: number;
  /** Since the session began, or since this number itself made somebody decide. */
  readonly denials: number;
}

export const FRESH_TALLY: AutoModeTally = { denialsInARow: 0, denials: 0 };

/** Source: spec/loop 5.7. */
const MOST_IN_A_ROW = 3;
const MOST_DENIALS = 20;

/** So many denials mean that the task and the judge do not fit: people decide until one of them says yes. */
export const isPaused = ({ denialsInARow, denials }: AutoModeTally): boolean =>
  denialsInARow >= MOST_IN_A_ROW || denials >= MOST_DENIALS;

export const afterDenial = ({ denialsInARow, denials }: AutoModeTally): AutoModeTally => ({
  denialsInARow: denialsInARow + 1,
  denials: denials + 1,
});

/** The judge allowed a call, or a person did. */
export const afterPermission = ({ denials }: AutoModeTally): AutoModeTally => ({
  denialsInARow: 0,
  denials: denials >= MOST_DENIALS ? 0 : denials,
});

const INTERPRETERS =
  /^(?:\*|(?:sh|bash|zsh|dash|eval|exec|sudo|env|python|node|deno|bun|ruby|perl|php|npx|bunx|pnpx|uvx|ssh)[\d.]*(?=[ :*]|$)|(?:npm|pnpm|yarn|bun) (?:run|exec|dlx|x)\b)/;

/** A rule under which anything can be run, so that nothing would be left to judge. Mode `auto` does not count it.
 *  Source: Claude Code's documentation of permission modes, "How the classifier evaluates actions". */
export function isBlanketRule({ behavior, tool, content }: PermissionRule): boolean {
  if (behavior !== 'allow') return false;
  if (tool === 'Agent' || tool === 'Task') return true;
  if (tool !== 'Bash' && tool !== '*') return false;
  return content === null || (content.includes('*') && INTERPRETERS.test(content));
}
