import path from 'node:path';
import { definitionFiles, definitionFolders, type DefinitionPlace } from './definition-folder';
import { readPromptFile, type PromptFile } from './prompt-file';

/** The skills of the folder, the user and the plugins: `skills/NAME/SKILL.md`. Of two with one name the one nearest to
 *  the work counts. Files that cannot be read are left out. */
export async function findSkills(place: DefinitionPlace): Promise<readonly PromptFile[]> {
  const folders = await definitionFolders('skills', place);
  const read = await Promise.all(
    folders.map(async (folder) => {
      const files = await definitionFiles(folder, '{SKILL.md,*/SKILL.md}');
      return Promise.all(files.map((file) => readSkill(file, folder.prefix)));
    }),
  );
  const found = new Map<string, PromptFile>();
  for (const skill of read.flat()) {
    if (skill !== null && !found.has(skill.name)) found.set(skill.name, skill);
  }
  return [...found.values()];
}

export function readSkill(file: string, prefix = ''): Promise<PromptFile | null> {
  const folder = path.basename(path.dirname(file));
  return readPromptFile(file, (own) => `${prefix}${own?.trim() ?? folder}`);
}

/** What its reader is told: where the files lie that it speaks of, and what to do. Placeholders of arguments are left. */
export function skillBody({ path: file, body }: PromptFile): string {
  const folder = path.dirname(file);
  return `Base folder of this skill: ${folder}\n\n${body.replaceAll('${CLAUDE_SKILL_DIR}', () => folder)}`;
}
