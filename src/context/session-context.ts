import { access } from 'node:fs/promises';
import path from 'node:path';
import { projectRules, standingRules, userRules, type RuleFile } from './attachments/rule-file';
import { readGitStatus } from './git-status';
import { readMemoryFiles, type MemoryFile, type MemoryFolder } from './memory-file';
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
  /** Settings that count; absent: all. Memory of a project and of a user counts where their settings do. */
  readonly sources?: readonly string[] | undefined;
  /** With which environment git is asked; null: the state of the repository is not told. */
  readonly gitEnvironment: Readonly<Record<string, string | undefined>> | null;
  /** Where the organisation's CLAUDE.md lies. Absolute. */
  readonly managedFolder?: string;
}

const MANAGED_FOLDER =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

export async function buildSessionContext(options: SessionContextOptions): Promise<SessionContext> {
  const { cwd, homeFolder, gitEnvironment } = options;
  const { folders, isGitRepository } = await projectFolders(cwd, homeFolder);
  const [files, git] = await Promise.all([
    standingInstructions(options, folders),
    isGitRepository && gitEnvironment !== null ? readGitStatus(cwd, gitEnvironment) : null,
  ]);
  const environment = {
    workingDirectory: cwd,
    additionalDirectories: options.additionalDirectories,
    platform: options.platform,
    date: options.now.slice(0, 10),
    isGitRepository,
    git,
    model: options.model,
  };
  return {
    system: buildSystemPrompt(environment, options),
    userContext: renderUserContext(files),
  };
}

/** In order of ascending weight: the organisation's, the user's, the project's from the outer folder to the inner. */
async function standingInstructions(
  { cwd, configDir, homeFolder, sources, managedFolder = MANAGED_FOLDER }: SessionContextOptions,
  folders: readonly string[],
): Promise<readonly MemoryFile[]> {
  const counts = (source: string): boolean => sources?.includes(source) ?? true;
  const importRoot = folders[0] ?? cwd;
  const own: readonly MemoryFolder[] = [
    { folder: managedFolder, kind: 'managed' },
    ...(counts('user') ? [{ folder: configDir, kind: 'user' } as const] : []),
  ];
  const ofProject = counts('project')
    ? folders.map((folder) => ({ folder, kind: 'project' }) as const)
    : [];
  const options = {
    importRoot,
    homeFolder,
    ...(counts('user') && { configDir }),
    isLocalCounted: counts('local'),
  };
  const [ownMemory, ownRules, memory, ...rules] = await Promise.all([
    readMemoryFiles(own, options),
    counts('user') ? standingRules(userRules(configDir, cwd)) : [],
    readMemoryFiles(ofProject, options),
    ...ofProject.map(({ folder }) => standingRules(projectRules(folder, importRoot))),
  ]);
  const files = [...ownMemory, ...ownRules.map(asMemory), ...memory, ...rules.flat().map(asMemory)];
  const seen = new Set<string>();
  return files.filter(({ path: file }) => !seen.has(file) && seen.add(file));
}

const asMemory = (rule: RuleFile): MemoryFile => ({ ...rule, kind: 'rule' });

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
