import path from 'node:path';
import { definitionFiles, definitionFolders, type DefinitionPlace } from './definition-folder';
import { readPromptFile, type PromptFile } from './prompt-file';

/** The commands of the folder, the user and the plugins. A folder below `commands` is a part of the name:
 *  `front/end/try.md` is `front:end:try`. Files that cannot be read are left out. */
export async function findCommands(place: DefinitionPlace): Promise<readonly PromptFile[]> {
  const folders = await definitionFolders('commands', place);
  const read = await Promise.all(
    folders.map(async (folder) => {
      const root = folder.path.endsWith('.md') ? path.dirname(folder.path) : folder.path;
      const nameFor = (file: string): string =>
        folder.prefix + path.relative(root, file).slice(0, -'.md'.length).replaceAll(path.sep, ':');
      const files = await definitionFiles(folder);
      return Promise.all(files.map((file) => readPromptFile(file, () => nameFor(file))));
    }),
  );
  const found = new Map<string, PromptFile>();
  for (const command of read.flat()) {
    if (command !== null && !found.has(command.name))
      found.set(command.name, describedByBody(command));
  }
  return [...found.values()];
}

/** Without a description its first line says what it does. */
function describedByBody(command: PromptFile): PromptFile {
  if (command.description !== '') return command;
  const [line = ''] = command.body.split('\n');
  return { ...command, description: line.replace(/^#+\s*/, '').slice(0, 100) };
}

/** By its whole name, or by the end of it where that is a name: `try` is `front:end:try`. */
export function findCommand(name: string, commands: readonly PromptFile[]): PromptFile | undefined {
  return (
    commands.find((command) => command.name === name) ??
    commands.find((command) => command.name.endsWith(`:${name}`))
  );
}
