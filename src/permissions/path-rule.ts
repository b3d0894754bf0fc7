import path from 'node:path';
import ignore from 'ignore';
import type { PermissionRule } from './rule';

/** Whether a path rule speaks of the file; patterns are those of .gitignore.
 *  `//x` begins at the root, `~/x` at home, `/x` at the settings, `./x` and `x/y` at the working folder;
 *  a pattern without a slash fits at every depth below the working folder. */
export function isSeenByPathRule(rule: PermissionRule, file: string): boolean {
  if (rule.content === null) return true;
  const { base, pattern } = anchor(rule.content, rule);
  const relative = path.relative(base, file);
  if (relative === '..' || relative.startsWith(`..${path.sep}`)) return false;
  // A careless spelling may widen a prohibition, never a permission.
  const patterns = ignore({ ignorecase: rule.behavior !== 'allow' }).add(pattern);
  // `secrets/**` speaks of the folder too: whoever searches it sees what is in it.
  return [relative, path.join(relative, '_')].some(
    (each) => each !== '' && patterns.ignores(each.split(path.sep).join('/')),
  );
}

function anchor(content: string, { origin }: PermissionRule): { base: string; pattern: string } {
  if (content.startsWith('//')) return { base: '/', pattern: content.slice(1) };
  if (content.startsWith('~/')) return { base: origin.homeFolder, pattern: content.slice(1) };
  if (content.startsWith('/')) return { base: origin.settingsFolder, pattern: content };
  if (content.startsWith('./')) return { base: origin.workingDirectory, pattern: content.slice(1) };
  return { base: origin.workingDirectory, pattern: content };
}
