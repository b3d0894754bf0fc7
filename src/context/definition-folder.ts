import path from 'node:path';
import { glob } from 'tinyglobby';
import { readPlugin } from '../settings/plugin';

/** Where commands, agents and skills of a session are looked for. */
export interface DefinitionPlace {
  /** The session's folder. Absolute. */
  readonly cwd: string;
  readonly configDir: string;
  /** Settings that count; absent: all. */
  readonly sources?: readonly string[] | undefined;
  /** Folders of plugins. Absolute; absent: none. */
  readonly pluginDirs?: readonly string[] | undefined;
}

type Kind = 'commands' | 'agents' | 'skills';

/** One folder of definitions of one kind. */
export interface DefinitionFolder {
  /** Absolute. */
  readonly path: string;
  /** What stands before the names in it, such as `plugin:`; empty: nothing. */
  readonly prefix: string;
}

/** The folders of one kind, nearest to the work first: of two things with one name the first counts.
 *  A plugin that cannot be read has none; whoever loads the settings says so. */
export async function definitionFolders(
  kind: Kind,
  { cwd, configDir, sources, pluginDirs = [] }: DefinitionPlace,
): Promise<readonly DefinitionFolder[]> {
  const counts = (source: string): boolean => sources?.includes(source) ?? true;
  const project = { path: path.join(cwd, '.claude', kind), prefix: '' };
  const user = { path: path.join(configDir, kind), prefix: '' };
  const plugins = await Promise.all(
    pluginDirs.map(async (folder) => {
      const plugin = await readPlugin(folder).catch(() => null);
      if (plugin === null) return [];
      const places = [path.join(plugin.path, kind), ...plugin.more[kind]];
      return [...new Set(places)].map((place) => ({ path: place, prefix: `${plugin.name}:` }));
    }),
  );
  return [
    ...(counts('project') ? [project] : []),
    ...(counts('user') ? [user] : []),
    ...plugins.flat(),
  ];
}

/** The Markdown files of a folder, sorted; a plugin may also name a single file. Absolute. */
export async function definitionFiles(
  { path: place }: DefinitionFolder,
  pattern = '**/*.md',
): Promise<readonly string[]> {
  if (place.endsWith('.md')) return [place];
  const files = await glob(pattern, { cwd: place, expandDirectories: false, absolute: true });
  return files.sort();
}
