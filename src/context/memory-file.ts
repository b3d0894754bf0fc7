import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../permissions/file-target';

/** A file of standing instructions, such as CLAUDE.md. */
export interface MemoryFile {
  /** Absolute, as it was named. */
  readonly path: string;
  readonly kind: 'managed' | 'user' | 'project' | 'local' | 'imported' | 'rule';
  readonly text: string;
}

export interface MemoryFolder {
  readonly folder: string;
  readonly kind: 'managed' | 'user' | 'project';
}

/** Names that are looked for in a project's folder, in this order. */
const NAMES: readonly (readonly [string, MemoryFile['kind']])[] = [
  ['AGENTS.md', 'project'],
  ['CLAUDE.md', 'project'],
  ['.claude/CLAUDE.md', 'project'],
  ['CLAUDE.local.md', 'local'],
];
const IMPORT_DEPTH = 5;
const LIMIT_BYTES = 256 * 1024;

export interface MemoryOptions {
  /** A project's files import only from inside of it, and Markdown from `configDir`: a cloned repository must not
   *  reach the user's other files. Absolute. */
  readonly importRoot: string;
  /** Where the user keeps instructions that projects may ask for; absent: nowhere. */
  readonly configDir?: string;
  /** What `~` stands for; absent: nothing. */
  readonly homeFolder?: string;
  /** false: `CLAUDE.local.md` does not count; absent: true. */
  readonly isLocalCounted?: boolean;
}

/** Reads memory and what it imports, each file once, in order of ascending weight: the organisation, the user, outer
 *  folders, inner folders. What cannot be read is left out. */
export async function readMemoryFiles(
  folders: readonly MemoryFolder[],
  { importRoot, configDir, homeFolder, isLocalCounted = true }: MemoryOptions,
): Promise<readonly MemoryFile[]> {
  const seen = new Set<string>();
  const files: MemoryFile[] = [];

  const shared = configDir === undefined ? null : await realPathOf(configDir);
  const mayImport = (realPath: string, root: string): boolean =>
    isInside(realPath, [root]) ||
    (shared !== null && realPath.endsWith('.md') && isInside(realPath, [shared]));
  const visit = async (file: string, kind: MemoryFile['kind'], root: string, depth: number) => {
    const found = await readText(file);
    if (found === null || seen.has(found.realPath)) return;
    if (kind === 'imported' ? !mayImport(found.realPath, root) : !isInside(found.realPath, [root]))
      return;
    seen.add(found.realPath);
    files.push({ path: file, kind, text: found.text });
    if (depth === IMPORT_DEPTH) return;
    for (const imported of importsOf(found.text)) {
      const named = homeFolder === undefined ? imported : imported.replace(/^~(?=\/)/, homeFolder);
      await visit(path.resolve(path.dirname(file), named), 'imported', root, depth + 1);
    }
  };

  for (const { folder, kind } of folders) {
    const isProject = kind === 'project';
    const root = isProject ? await realPathOf(importRoot) : path.parse(folder).root;
    const names = isProject
      ? NAMES.filter(([, fileKind]) => isLocalCounted || fileKind !== 'local')
      : ([['CLAUDE.md', kind]] as const);
    for (const [name, fileKind] of names) await visit(path.join(folder, name), fileKind, root, 0);
  }
  return files;
}

/** Paths after an `@`, outside code: `@docs/style.md`. */
function importsOf(text: string): readonly string[] {
  const prose = text.replace(/^(`{3,}|~{3,})[^]*?(?:^\1|$(?![^]))/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/(?<=^|\s)@((?:~\/)?[\w./-]*[\w-])/gm)].map(([, file = '']) => file);
}

async function readText(file: string): Promise<{ realPath: string; text: string } | null> {
  if (!existsSync(file)) return null;
  try {
    const realPath = await realpath(file);
    const bytes = await readFile(realPath);
    if (bytes.length > LIMIT_BYTES || bytes.includes(0)) return null;
    return { realPath, text: bytes.toString('utf8').replace(/^\uFEFF/, '') };
  } catch {
    return null;
  }
}

async function realPathOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
