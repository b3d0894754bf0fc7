import { needsExactRule, unwrap } from './command-wrapper';
import type { PermissionRule } from './rule';
import { splitCommandLine, type ShellCommand } from './shell-words';
import { visibleCommands } from './visible-commands';

/** Whether one of the rules allows the line as it stands, or rules and `isHarmless` allow each of its parts. */
export function isAllowedByBashRules(
  rules: readonly PermissionRule[],
  line: string,
  isHarmless: (command: ShellCommand) => boolean,
): boolean {
  // Not trim(): to the shell, the other blanks are letters.
  const written = line.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
  if (rules.some(({ content }) => content === null || saysExactly(content, written))) return true;
  const { commands, unclear } = splitCommandLine(line);
  if (unclear !== null || commands.length === 0) return false;
  return commands.every((command) => isCovered(rules, command) || isHarmless(command));
}

function isCovered(rules: readonly PermissionRule[], command: ShellCommand): boolean {
  const views = needsExactRule(command) ? [] : unwrap(command.text);
  return rules.some(
    ({ content }) =>
      content !== null &&
      (saysExactly(content, command.text) ||
        views.some(
          ({ text, takesMore }) =>
            patternOf(content).test(text) &&
            (!hasInnerStar(content) || !MAY_VANISH.test(text)) &&
            (!takesMore || isOpenEnded(content)) &&
            (!ASSIGNMENT.test(text) || namesProgram(content)),
        )),
  );
}

/** `find *` is a rule for what begins so; the same line has a star that the shell replaces. */
const saysExactly = (content: string, text: string): boolean =>
  content === text && !/(?::| )\*$/.test(content);

/** `cargo * --release` must not fit `cargo $word --release`: if nothing is what the shell puts there, the program sees no
 *  word between. */
const MAY_VANISH = /[$`{]/;

const hasInnerStar = (content: string): boolean => content.replace(/(?::| )?\*$/, '').includes('*');

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^]*?\])?\+?=/;

/** Behind an assignment the star could be the program: `make*` fits `make= evil`, in which `evil` runs. */
function namesProgram(content: string): boolean {
  const star = content.indexOf('*');
  if (star < 0) return true;
  const words = content.slice(0, star).replace(/:$/, ' ').split(' ');
  return words.slice(0, -1).some((word) => word !== '' && !ASSIGNMENT.test(word));
}

const isOpenEnded = (content: string): boolean => content.endsWith('*');

/** Whether the rule speaks of any command in the line, or might. */
export function isSeenByBashRule(rule: PermissionRule, line: string): boolean {
  const { content } = rule;
  if (content === null || content === line.trim()) return true;
  const commands = visibleCommands(line);
  if (commands === null) return true;
  const pattern = patternOf(content);
  return [...commands].some((text) => pattern.test(text));
}

/** `npm test:*` and `npm test *`: the words and what follows them. Another `*` stands for anything. */
function patternOf(content: string): RegExp {
  const prefix = /^(?<words>[^]*?)(?::\*| \*)$/.exec(content)?.groups?.['words'];
  const pattern = (prefix ?? content).split('*').map(escapePattern).join('[^]*');
  return new RegExp(`^${pattern}${prefix === undefined ? '' : '(?: [^]*)?'}$`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
