import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errorCode } from '../tools/error-code';
import { McpConfigError } from './server-config';

/** Entries of `mcpServers` as they are written, by name. */
export type RawServers = Readonly<Record<string, unknown>>;

const Servers = z.record(z.string(), z.unknown(), 'an object of servers by name');
const ServersFile = z.object({ mcpServers: Servers.default({}) }, 'an object with "mcpServers"');
/** The user's own file: servers of every folder, and those of one. */
const UserFile = z.object({
  mcpServers: Servers.default({}),
  projects: z.record(z.string(), z.object({ mcpServers: Servers.default({}) })).default({}),
});

/** One value of --mcp-config: a file, or the JSON itself. Fails: McpConfigError. */
export async function readConfigArgument(value: string, cwd: string): Promise<RawServers> {
  if (value.trim().startsWith('{')) return parse(ServersFile, value, '--mcp-config').mcpServers;
  const file = path.resolve(cwd, value);
  const text = await readIfThere(file);
  if (text === undefined) {
    throw new McpConfigError(
      `MCP configuration ${file}, given by --mcp-config, does not exist. Correct the path, or give the JSON itself.`,
    );
  }
  return parse(ServersFile, text, `MCP configuration ${file}`).mcpServers;
}

/** `.mcp.json` of the folder and of those above it; the nearest has the last word. Fails: McpConfigError. */
export async function readProjectServers(cwd: string): Promise<RawServers> {
  const folders = [cwd];
  for (let at = cwd; path.dirname(at) !== at; at = path.dirname(at)) folders.push(path.dirname(at));
  const found = await Promise.all(
    folders.map(async (folder) => {
      const file = path.join(folder, '.mcp.json');
      const text = await readIfThere(file);
      return text === undefined ? {} : parse(ServersFile, text, file).mcpServers;
    }),
  );
  return Object.assign({}, ...found.toReversed()) as RawServers;
}

/** Servers that the user added by hand or by command. Fails: McpConfigError. */
export async function readUserServers(
  file: string,
  cwd: string,
): Promise<{ readonly user: RawServers; readonly local: RawServers }> {
  const text = await readIfThere(file);
  if (text === undefined) return { user: {}, local: {} };
  const { mcpServers, projects } = parse(UserFile, text, file);
  return { user: mcpServers, local: projects[cwd]?.mcpServers ?? {} };
}

/** `mcpServers` of a settings file. Fails: McpConfigError; `name` begins its message. */
export function serversOfSettings(raw: unknown, name: string): RawServers {
  return raw === undefined ? {} : validate(Servers, raw, `${name}: mcpServers`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    // While commands run, an empty folder keeps them from writing a file that was not there.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new McpConfigError(
      `${file} cannot be read (${code}). Make it a file that you may read, or remove it.`,
      { cause: error },
    );
  }
}

function parse<Value>(schema: z.ZodType<Value>, text: string, name: string): Value {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new McpConfigError(`${name} is not JSON: ${reason}. Correct it.`, { cause: error });
  }
  return validate(schema, json, name);
}

function validate<Value>(schema: z.ZodType<Value>, json: unknown, name: string): Value {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new McpConfigError(
    `${name}: ${where === '' ? 'the whole' : where} must be ${issue?.message ?? 'something else'}. Correct it.`,
  );
}
