import { execFile } from 'node:child_process';

/** A repository that takes longer is not told of. */
const LIMIT_MS = 2_000;
const STATUS_CHARS = 2_000;
const COMMITS = 5;

/** What the system prompt tells of a repository, as it was when the session began. */
export interface GitStatus {
  /** Of a detached head: empty. */
  readonly branch: string;
  /** Where changes usually go; null: nobody knows. */
  readonly mainBranch: string | null;
  /** Of `git status --short`; empty: clean. */
  readonly changes: string;
  /** One line each, newest first. */
  readonly commits: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** null: there is no repository, no git, or no answer in time. Changes nothing, and runs nothing that the repository
 *  configures. */
export async function readGitStatus(
  folder: string,
  environment: Environment,
): Promise<GitStatus | null> {
  const git = (...args: readonly string[]): Promise<string | null> =>
    run(folder, args, environment);
  const [branch, main, changes, commits] = await Promise.all([
    git('branch', '--show-current'),
    git('for-each-ref', '--format=%(refname:short)', 'refs/heads/main', 'refs/heads/master'),
    git('status', '--short'),
    git('log', '--oneline', `-${COMMITS}`),
  ]);
  if (branch === null || changes === null) return null;
  return {
    branch,
    mainBranch: main?.split('\n')[0] || null,
    changes: cut(changes),
    commits: commits ?? '',
  };
}

/** null: it failed. */
function run(
  folder: string,
  args: readonly string[],
  { PATH, HOME }: Environment,
): Promise<string | null> {
  const harmless = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const env = { PATH, HOME, GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((resolve) => {
    execFile(
      'git',
      [...harmless, ...args],
      { cwd: folder, env, timeout: LIMIT_MS, maxBuffer: 16 * 1024 ** 2 },
      (error, stdout) => resolve(error === null ? stdout.trimEnd() : null),
    );
  });
}

function cut(changes: string): string {
  if (changes.length <= STATUS_CHARS) return changes;
  return `${changes.slice(0, STATUS_CHARS)}\n… (cut; git status shows all)`;
}
