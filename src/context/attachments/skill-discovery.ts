import path from 'node:path';
import { glob } from 'tinyglobby';
import { toReminder } from '../reminder';
import { attachedKeys } from './attached-keys';
import { readMarkdown } from './frontmatter';
import { readTextFile } from './text-file';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';
import { visitOf } from './visited-folders';

/** 1 % of a context of 200,000 tokens, at 4 characters a token (spec/loop 8.5). */
const LISTING_CHARS = 8_000;
const DESCRIPTION_CHARS = 300;

interface Skill {
  readonly name: string;
  readonly description: string;
  /** Of its SKILL.md. */
  readonly path: string;
}

/** Lists the skills that belong to folders below the session's own which the turn has visited. Those of the
 *  session's folder and of the user are listed from the start. */
export async function attachSkills(facts: TurnFacts): Promise<TurnAttachment | null> {
  const { cwd, folders } = await visitOf(facts);
  const attached = attachedKeys(facts.chain, 'skills');
  const found = (await Promise.all(folders.map((folder) => skillsOf(folder, cwd)))).flat();
  const skills = found.filter(
    (skill) => !attached.has(skill.path) && (facts.mayRead?.(skill.path) ?? true),
  );
  if (skills.length === 0) return null;
  return {
    type: 'skills',
    text: toReminder(
      `Folders that you have just visited bring skills of their own. A skill's file says how to do one kind of work: read it before you do such work.\n\n${list(skills)}`,
    ),
    filesSeen: [],
    keys: skills.map((skill) => skill.path),
  };
}

async function skillsOf(folder: string, root: string): Promise<readonly Skill[]> {
  const place = path.join(folder, '.claude', 'skills');
  const names = await glob('*/SKILL.md', { cwd: place, expandDirectories: false });
  const skills = await Promise.all(
    names.sort().map((name) => readSkill(path.join(place, name), root)),
  );
  return skills.filter((skill) => skill !== null);
}

/** null: there is nothing to list, or only people may call it. */
async function readSkill(file: string, root: string): Promise<Skill | null> {
  const found = await readTextFile(file, root);
  if (found === null) return null;
  const { fields } = readMarkdown(found.text);
  const description = [fields.get('description'), fields.get('when_to_use')]
    .filter((text) => text !== undefined)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (description === '' || fields.get('disable-model-invocation') === 'true') return null;
  const name = fields.get('name') ?? path.basename(path.dirname(file));
  return { name, description, path: found.path };
}

function list(skills: readonly Skill[]): string {
  const lines: string[] = [];
  let left = LISTING_CHARS;
  for (const { name, description, path: file } of skills) {
    const told =
      description.length > DESCRIPTION_CHARS
        ? `${description.slice(0, DESCRIPTION_CHARS - 1)}…`
        : description;
    const line = [`- ${name}: ${told} (${file})`, `- ${name} (${file})`].find(
      (each) => each.length < left,
    );
    if (line === undefined) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const more = skills.length - lines.length;
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}
