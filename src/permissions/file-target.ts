import path from 'node:path';
import { disk } from '../disk/disk';

/** The files that a call of a file tool is about. */
export interface FileTarget {
  readonly access: 'read' | 'write';
  /** Absolute. */
  readonly paths: readonly string[];
}

const FILE_TOOLS: ReadonlyMap<string, { access: FileTarget['access']; field: string }> = new Map([
  ['Read', { access: 'read', field: 'file_path' }],
  ['Glob', { access: 'read', field: 'path' }],
  ['Grep', { access: 'read', field: 'path' }],
  ['LS', { access: 'read', field: 'path' }],
  ['Write', { access: 'write', field: 'file_path' }],
  ['Edit', { access: 'write', field: 'file_path' }],
  ['MultiEdit', { access: 'write', field: 'file_path' }],
  ['NotebookEdit', { access: 'write', field: 'notebook_path' }],
]);

export function accessOf(toolName: string): FileTarget['access'] | null {
  return FILE_TOOLS.get(toolName)?.access ?? null;
}

/** A tool whose path is a folder and everything below it. */
export function isSearch(toolName: string): boolean {
  return FILE_TOOLS.get(toolName)?.field === 'path';
}

/** null: not a file tool. A search without a folder is about the working folder. */
export function fileTarget(
  toolName: string,
  input: unknown,
  workingDirectory: string,
): FileTarget | null {
  const tool = FILE_TOOLS.get(toolName);
  if (tool === undefined) return null;
  const named = path.resolve(workingDirectory, textField(input, tool.field));
  if (toolName !== 'Glob') return { access: tool.access, paths: [named] };
  return { access: tool.access, paths: [named, ...climbed(named, textField(input, 'pattern'))] };
}

/** A glob can leave the folder that it is said to search. */
function climbed(folder: string, pattern: string): readonly string[] {
  const [beginning = ''] = /^(?:[^*?[{(!]*\/)?/.exec(pattern) ?? [];
  const rest = pattern.slice(beginning.length);
  return [path.resolve(folder, beginning), ...(/\.\.|[{,(|]\//.test(rest) ? ['/'] : [])];
}

/** Where the paths lead once links are resolved; what does not exist yet is placed in its nearest real folder. */
export async function resolveLinks(paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map(resolveLink));
}

export function isInside(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relative = path.relative(folder, file);
    const leaves = relative === '..' || relative.startsWith(`..${path.sep}`);
    return !leaves && !path.isAbsolute(relative);
  });
}

export function textField(input: unknown, field: string): string {
  if (typeof input !== 'object' || input === null) return '';
  const value: unknown = Reflect.get(input, field);
  return typeof value === 'string' ? value : '';
}

async function resolveLink(file: string): Promise<string> {
  try {
    return await disk.realpath(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(await resolveLink(parent), path.basename(file));
  }
}
