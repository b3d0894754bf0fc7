import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** What in a folder that may be written stays as it is, because programs outside of the sandbox act on its content. */
export interface ProtectedEntries {
  readonly existing: readonly string[];
  /** Folders between the workspace and what is protected: they may be written, but not be moved away with it. */
  readonly parents: readonly string[];
  /** Names that must not come into being. */
  readonly missing: readonly string[];
}

/** Read by everloop itself, and by Claude Code: not even a new one may be written. */
const OWN_NAMES = ['.claude', '.mcp.json'];
/** Read by programs of people. */
const NAMES =
  '.husky .vscode .idea .gitmodules .ripgreprc .envrc .claude.json ' +
  'everloop.config.ts everloop.config.mts everloop.config.cts ' +
  'everloop.config.js everloop.config.mjs everloop.config.cjs';
const IN_REPOSITORY = ['hooks', 'config'];
const MAYBE_IN_REPOSITORY = ['config.worktree', 'modules'];
const PROFILES =
  '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .gitconfig';

/** `folder`: absolute, links resolved. */
export async function protectedEntries(
  folder: string,
  userHome: string,
): Promise<ProtectedEntries> {
  const profiles = PROFILES.split(' ');
  const repository = path.join(folder, '.git');
  const hasRepository = await stat(repository).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  const must = [
    ...OWN_NAMES,
    ...(folder === userHome ? profiles : []),
    ...(hasRepository ? IN_REPOSITORY.map((name) => `.git/${name}`) : []),
  ];
  const may = [
    ...NAMES.split(' '),
    ...profiles,
    ...(hasRepository ? MAYBE_IN_REPOSITORY.map((name) => `.git/${name}`) : ['.git']),
  ];
  const wanted = [...new Set([...must, ...may])].map((name) => path.join(folder, name));
  const looks = await Promise.all(wanted.map(look));
  const existing = looks.flatMap(({ real }) => real ?? []);
  const missing = looks.filter(({ isThere }) => !isThere).map(({ file }) => file);
  return {
    existing,
    parents: hasRepository ? [repository] : [],
    missing: missing.filter((file) => must.includes(path.relative(folder, file))),
  };
}

interface Look {
  readonly file: string;
  readonly isThere: boolean;
  /** Where it leads; undefined: nowhere. */
  readonly real: string | undefined;
}

async function look(file: string): Promise<Look> {
  const isThere = await lstat(file).then(
    () => true,
    () => false,
  );
  const real = isThere ? await realpath(file).catch(() => undefined) : undefined;
  return { file, isThere, real };
}
