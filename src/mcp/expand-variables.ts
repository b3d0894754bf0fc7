import { McpConfigError } from './server-config';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Replaces `${NAME}` and `${NAME:-otherwise}` in every text of a server's entry; names of fields stay.
 *  Fails: McpConfigError that names the variables which are not set. */
export function expandVariables(raw: unknown, env: Environment, server: string): unknown {
  const missing = new Set<string>();
  const expanded = expand(raw, (name, otherwise) => {
    const value = env[name] ?? otherwise;
    if (value === undefined) missing.add(name);
    return value ?? '';
  });
  if (missing.size === 0) return expanded;
  const [first = ''] = missing;
  throw new McpConfigError(
    `MCP server "${server}" needs ${[...missing].join(' and ')}, which ${missing.size === 1 ? 'is' : 'are'} not set. ` +
      `Set ${missing.size === 1 ? 'it' : 'them'} where everloop runs, or write a default: \${${first}:-value}.`,
  );
}

type Look = (name: string, otherwise: string | undefined) => string;

/** What a variable holds is not expanded again. */
function expand(value: unknown, look: Look): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (_, name: string, otherwise: string | undefined) =>
      look(name, otherwise),
    );
  }
  if (Array.isArray(value)) return value.map((each) => expand(each, look));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expand(each, look)]));
}
