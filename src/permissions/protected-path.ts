import path from 'node:path';
import { isInside } from './file-target';

/** Folders and files whose content runs, or changes what we may do: only a person opens them.
 *  Source: Claude Code's documentation of permission modes, "Protected paths". */
const FOLDERS = new Set(
  '.git .claude .husky .vscode .idea .cargo .devcontainer .yarn .mvn'.split(' '),
);
const FILES = new Set(
  (
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile ' +
    '.zshrc .zshenv .zprofile .zlogin .zlogout ' +
    '.gitconfig .gitmodules .ripgreprc .envrc .mcp.json .claude.json .devcontainer.json ' +
    '.npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml ' +
    '.bazelrc .bazelversion .bazeliskrc pyrightconfig.json ' +
    '.pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml ' +
    'gradle-wrapper.properties maven-wrapper.properties'
  ).split(' '),
);

/** Looks mostly at the part below the working folder, so that a worktree inside `.claude` stays usable. */
export function isProtectedPath(file: string, workingDirectories: readonly string[]): boolean {
  if (/[\\/](?:\.git[\\/]|\.claude[\\/]settings[^\\/]*\.json$)/i.test(file)) return true;
  const [root = '/'] = workingDirectories
    .filter((folder) => isInside(file, [folder]))
    .sort((one, other) => other.length - one.length);
  const below = path.relative(root, file).toLowerCase().split(path.sep).join('/');
  // A worktree is a project of its own.
  const parts = below.replace(/^\.claude\/worktrees\/[^/]+\//, '').split('/');
  if (/(?:^|\/)\.config\/git\//.test(below)) return true;
  return parts.some((part) => FOLDERS.has(part)) || isProtectedFile(parts.at(-1) ?? '');
}

const isProtectedFile = (name: string): boolean =>
  FILES.has(name) || /^everloop\.config\.[cm]?[jt]s$/.test(name);
