import path from 'node:path';
import { isInside } from './file-target';

/** Folders and files whose content runs, or changes what we may do: only a person opens them. */
const FOLDERS = new Set(['.git', '.claude', '.husky', '.vscode', '.idea']);
const FILES = new Set(
  (
    '.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
    '.gitconfig .gitmodules .ripgreprc .envrc .mcp.json .claude.json'
  ).split(' '),
);

/** Looks mostly at the part below the working folder, so that a worktree inside `.claude` stays usable. */
export function isProtectedPath(file: string, workingDirectories: readonly string[]): boolean {
  if (/[\\/](?:\.git[\\/]|\.claude[\\/]settings[^\\/]*\.json$)/i.test(file)) return true;
  const [root = '/'] = workingDirectories
    .filter((folder) => isInside(file, [folder]))
    .sort((one, other) => other.length - one.length);
  const parts = path.relative(root, file).toLowerCase().split(path.sep);
  return parts.some((part) => FOLDERS.has(part)) || isProtectedFile(parts.at(-1) ?? '');
}

const isProtectedFile = (name: string): boolean =>
  FILES.has(name) || /^everloop\.config\.[cm]?[jt]s$/.test(name);
