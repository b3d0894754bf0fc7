import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errorCode } from '../tools/error-code';

/** A folder of commands, agents, skills, hooks and MCP servers that belong together, as Claude Code packs them. */
export interface Plugin {
  /** Stands before the names of what it brings: `name:command`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Further folders and files with commands, agents and skills, beside those of the usual names. Absolute. */
  readonly more: Readonly<Record<'commands' | 'agents' | 'skills', readonly string[]>>;
  /** What it says in place of a settings file. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** A plugin cannot be used. The message names the file, what is wrong and the cure. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

const places = z
  .union([z.string(), z.array(z.string())], 'a path or a list of paths')
  .transform((value) => [value].flat())
  .default([]);
const part = z
  .union([z.string(), z.record(z.string(), z.unknown())], 'a path or an object')
  .optional();
const Manifest = z.object(
  {
    name: z.string('a name').regex(/^[\w.-]+$/, 'a name of letters, digits, - . and _'),
    commands: places,
    agents: places,
    skills: places,
    hooks: part,
    mcpServers: part,
  },
  'an object with "name"',
);
const JsonObject = z.record(z.string(), z.unknown(), 'an object');

/** Reads `.claude-plugin/plugin.json` and the files that it names; a folder without it is a plugin of the folder's
 *  name. Fails: PluginError. */
export async function readPlugin(folder: string): Promise<Plugin> {
  const root = path.resolve(folder);
  const isFolder = await stat(root).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new PluginError(`Plugin ${root} is no folder. Correct the path given by --plugin-dir.`);
  }
  const file = path.join(root, '.claude-plugin', 'plugin.json');
  const manifest = (await readJson(file, Manifest)) ?? Manifest.parse({ name: nameOf(root) });
  const at = (name: string): string => path.join(root, name);
  const read = async (given: string | object | undefined, usual: string): Promise<unknown> =>
    typeof given === 'object' ? given : readJson(at(given ?? usual), JsonObject);
  const hooks = inner(await read(manifest.hooks, 'hooks/hooks.json'), 'hooks');
  const servers = inner(await read(manifest.mcpServers, '.mcp.json'), 'mcpServers');
  const raw = {
    ...(hooks !== undefined && { hooks }),
    ...(servers !== undefined && { mcpServers: withRoot(servers, root) }),
  };
  const more = {
    commands: manifest.commands.map(at),
    agents: manifest.agents.map(at),
    skills: manifest.skills.map(at),
  };
  return { name: manifest.name, path: root, more, raw };
}

const nameOf = (root: string): string => path.basename(root).replace(/[^\w.-]/g, '-');

/** The files say `{"hooks": {…}}`; a manifest may hold what is inside of that. */
function inner(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return key in value ? Reflect.get(value, key) : value;
}

/** Servers are started without a shell: nobody else would fill in the plugin's own folder. */
function withRoot(value: unknown, root: string): unknown {
  const text = JSON.stringify(value);
  const escaped = JSON.stringify(root).slice(1, -1);
  return JSON.parse(text.replaceAll('${CLAUDE_PLUGIN_ROOT}', () => escaped)) as unknown;
}

/** undefined: there is no such file. */
async function readJson<Value>(file: string, shape: z.ZodType<Value>): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new PluginError(`${file} cannot be read (${code}). Make it a file that you may read.`, {
      cause: error,
    });
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new PluginError(`${file} is not JSON: ${String(error)}. Correct it.`, { cause: error });
  }
  const parsed = shape.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new PluginError(
    `${file}: ${where === '' ? 'the whole' : where} must be ${issue?.message ?? 'something else'}. Correct it.`,
  );
}
