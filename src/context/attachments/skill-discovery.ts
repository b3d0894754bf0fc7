import { existsSync } from 'node:fs';
import path from 'node:path';
import { glob } from 'tinyglobby';
import { SKILL } from '../../tools/skill';
import type { PromptFile } from '../prompt-file';
import { toReminder } from '../reminder';
import { readSkill } from '../skill-file';
import { attachedKeys } from './attached-keys';
import { readTextFile } from './text-file';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';
import { visitOf } from './visited-folders';

/** 1 % of a context of 200,000 tokens, at 4 characters a token (spec/loop 8.5). */
const LISTING_CHARS = 8_000;
const DESCRIPTION_CHARS = 300;

/** Lists the skills that this context has not been told of: those of the session's folder, of the user and of plugins
 *  where the Skill tool can load them, and those of folders that the turn has visited. Their texts are read when
 *  they are used. */
export async function attachSkills(facts: TurnFacts): Promise<TurnAttachment | null> {
  const attached = attachedKeys(facts.chain, 'skills');
  const isNew = (skill: PromptFile): boolean =>
    skill.isForModel &&
    skill.description !== '' &&
    !attached.has(skill.path) &&
    (facts.mayRead?.(skill.path) ?? true);
  const own = (facts.offeredTools.includes(SKILL) ? (facts.skills ?? []) : []).filter(isNew);
  const visited = (await visitedSkills(facts)).filter(isNew);
  if (own.length === 0 && visited.length === 0) return null;
  const parts = [
    own.length === 0
      ? ''
      : `Skills that the ${SKILL} tool can load. A skill says how one kind of work is done here: load it before you do such work.\n\n${list(own, false)}`,
    visited.length === 0
      ? ''
      : `Folders that you have just visited bring skills of their own. A skill's file says how to do one kind of work: read it before you do such work.\n\n${list(visited, true)}`,
  ];
  return {
    type: 'skills',
    text: toReminder(parts.filter((part) => part !== '').join('\n\n')),
    filesSeen: [],
    keys: [...own, ...visited].map((skill) => skill.path),
  };
}

async function visitedSkills(facts: TurnFacts): Promise<readonly PromptFile[]> {
  const { cwd, folders } = visitOf(facts);
  return (await Promise.all(folders.map((folder) => skillsOf(folder, cwd)))).flat();
}

async function skillsOf(folder: string, root: string): Promise<readonly PromptFile[]> {
  const place = path.join(folder, '.claude', 'skills');
  if (!existsSync(place)) return [];
  const names = await glob('*/SKILL.md', { cwd: place, expandDirectories: false });
  const skills = await Promise.all(
    names.sort().map(async (name) => {
      // The path with links resolved, and only what lies in the project.
      const file = await readTextFile(path.join(place, name), root);
      return file === null ? null : readSkill(file.path);
    }),
  );
  return skills.filter((skill) => skill !== null);
}

function list(skills: readonly PromptFile[], hasPaths: boolean): string {
  const lines: string[] = [];
  let left = LISTING_CHARS;
  for (const { name, description, path: file } of skills) {
    const told =
      description.length > DESCRIPTION_CHARS
        ? `${description.slice(0, DESCRIPTION_CHARS - 1)}…`
        : description;
    const where = hasPaths ? ` (${file})` : '';
    const line = [`- ${name}: ${told}${where}`, `- ${name}${where}`].find(
      (each) => each.length < left,
    );
    if (line === undefined) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}
