import path from 'node:path';
import picomatch from 'picomatch';
import { glob } from 'tinyglobby';
import { listOf, readMarkdown } from './frontmatter';
import { readTextFile } from './text-file';
import type { Visit } from './visited-folders';

/** One file of `.claude/rules`. */
export interface RuleFile {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly text: string;
}

/** The rules of a folder that concern the files of a visit: those that name no `paths` concern all files below
 *  the folder, the others the files that one of their patterns matches, seen from the folder. */
export async function rulesFor(folder: string, visit: Visit): Promise<readonly RuleFile[]> {
  const place = path.join(folder, '.claude', 'rules');
  const names = await glob('**/*.md', {
    cwd: place,
    expandDirectories: false,
    followSymbolicLinks: false,
  });
  const visited = visit.files.map((file) => path.relative(folder, file));
  const below = visited.filter((name) => name !== '' && !name.startsWith('..'));
  const rules = await Promise.all(
    names.sort().map((name) => readTextFile(path.join(place, name), visit.cwd)),
  );
  return rules
    .filter((rule) => rule !== null)
    .map((rule) => ({ path: rule.path, ...readMarkdown(rule.text) }))
    .filter(({ fields }) => concerns(listOf(fields.get('paths') ?? ''), below))
    .map(({ path: file, body }) => ({ path: file, text: body }));
}

function concerns(patterns: readonly string[], files: readonly string[]): boolean {
  if (files.length === 0) return false;
  if (patterns.length === 0) return true;
  const matches = picomatch([...patterns], { dot: true });
  return files.some((file) => matches(file));
}
