import { existsSync } from 'node:fs';
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

/** Where rules lie, and what their patterns are seen from. Absolute. */
export interface RuleFolder {
  readonly place: string;
  readonly base: string;
  /** Rules that are links out of it are left out. */
  readonly root: string;
}

/** Those of a folder of the project. */
export const projectRules = (folder: string, root: string): RuleFolder => ({
  place: path.join(folder, '.claude', 'rules'),
  base: folder,
  root,
});

/** Those of the user, for all projects. */
export const userRules = (configDir: string, cwd: string): RuleFolder => ({
  place: path.join(configDir, 'rules'),
  base: cwd,
  root: path.parse(configDir).root,
});

/** The rules that concern files of a visit: those that name no `paths` concern all files below the base, the others
 *  the files that one of their patterns matches. */
export async function rulesFor(folder: RuleFolder, visit: Visit): Promise<readonly RuleFile[]> {
  const visited = visit.files.map((file) => path.relative(folder.base, file));
  const below = visited.filter((name) => name !== '' && !name.startsWith('..'));
  const rules = await readRules(folder);
  return rules.filter(({ patterns }) => concerns(patterns, below));
}

/** The rules that concern whatever is done: they name no `paths`. */
export async function standingRules(folder: RuleFolder): Promise<readonly RuleFile[]> {
  return (await readRules(folder)).filter(({ patterns }) => patterns.length === 0);
}

interface PatternedRule extends RuleFile {
  readonly patterns: readonly string[];
}

async function readRules({ place, root }: RuleFolder): Promise<readonly PatternedRule[]> {
  // Every turn asks of every folder that it has visited, and hardly any has rules.
  if (!existsSync(place)) return [];
  const names = await glob('**/*.md', {
    cwd: place,
    expandDirectories: false,
    followSymbolicLinks: false,
  });
  const files = await Promise.all(
    names.sort().map((name) => readTextFile(path.join(place, name), root)),
  );
  return files.flatMap((file) => {
    if (file === null) return [];
    const { fields, body } = readMarkdown(file.text);
    return [{ path: file.path, text: body, patterns: listOf(fields.get('paths') ?? '') }];
  });
}

function concerns(patterns: readonly string[], files: readonly string[]): boolean {
  if (files.length === 0) return false;
  if (patterns.length === 0) return true;
  const matches = picomatch([...patterns], { dot: true });
  return files.some((file) => matches(file));
}
