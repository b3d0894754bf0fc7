import { access } from 'node:fs/promises';
import path from 'node:path';
import { readMemoryFiles, type MemoryFolder } from './memory-file';
import { buildSystemPrompt, type SystemPromptOptions } from './system-prompt';
import { renderUserContext } from './user-context';

/** What every request of a session begins with. Built once and stored: the prefix of the prompt must stay the
 *  same to the byte, or the prompt cache is lost. JSON. */
export interface SessionContext {
  readonly system: readonly string[];
  /** Stands before the first message; null: there is no memory. */
  readonly userContext: string | null;
}

export interface SessionContextOptions extends SystemPromptOptions {
  /** The session's working folder. Absolute. */
  readonly cwd: string;
  readonly configDir: string;
  readonly homeFolder: string;
  readonly additionalDirectories: readonly string[];
  readonly platform: string;
  /** ISO instant or date. */
  readonly now: string;
  readonly model: string;
}

export async function buildSessionContext(options: SessionContextOptions): Promise<SessionContext> {
  const { cwd, configDir, homeFolder } = options;
  const { folders, isGitRepository } = await projectFolders(cwd, homeFolder);
  const environment = {
    workingDirectory: cwd,
    additionalDirectories: options.additionalDirectories,
    platform: options.platform,
    date: options.now.slice(0, 10),
    isGitRepository,
    model: options.model,
  };
  const memoryFolders: readonly MemoryFolder[] = [
    { folder: configDir, kind: 'user' },
    ...folders.map((folder) => ({ folder, kind: 'project' as const })),
  ];
  const files = await readMemoryFiles(memoryFolders, folders[0] ?? cwd);
  return {
    system: buildSystemPrompt(environment, options),
    userContext: renderUserContext(files),
  };
}

/** The folders whose memory counts, outermost first: from the git root, else from home. Elsewhere only the
 *  working folder itself: what lies above it, in /tmp say, may be anybody's. */
async function projectFolders(
  cwd: string,
  homeFolder: string,
): Promise<{ folders: readonly string[]; isGitRepository: boolean }> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    folders.unshift(folder);
    const isGitRepository = await exists(path.join(folder, '.git'));
    if (isGitRepository || folder === homeFolder) return { folders, isGitRepository };
    if (folder === path.dirname(folder)) return { folders: [cwd], isGitRepository: false };
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
