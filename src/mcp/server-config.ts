import { z } from 'zod';

/** How a server is reached, with nothing left to expand. */
export type ServerConfig = z.infer<typeof Stdio> | z.infer<typeof Remote> | z.infer<typeof Hosted>;

const timeout = z.number('a number of milliseconds').positive('more than 0').optional();
const texts = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], 'a string').transform(String),
  'an object of strings',
);

const Stdio = z.object({
  type: z.literal('stdio').default('stdio'),
  command: z.string('the program to start').min(1, 'the program to start'),
  args: z.array(z.string('a string'), 'a list of strings').default([]),
  env: texts.default({}),
  /** Milliseconds that one call may take. */
  timeout,
});

const Remote = z.object({
  type: z.enum(['http', 'streamable-http', 'sse']),
  url: z.url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' }),
  headers: texts.default({}),
  timeout,
});

/** Hosted by the program that hosts the session. */
const Hosted = z.object({ type: z.literal('sdk'), timeout });

/** Fails: McpConfigError, with every field that cannot be used. Values are not shown: they may be secrets. */
export function parseServer(raw: unknown, name: string): ServerConfig {
  const schema = schemaFor(raw, name);
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'it' : path.join('.')} must be ${message}`,
  );
  throw new McpConfigError(`MCP server "${name}": ${complaints.join('; ')}. Correct its entry.`);
}

function schemaFor(raw: unknown, name: string): z.ZodType<ServerConfig> {
  const { type, url } = z
    .object({ type: z.unknown(), url: z.unknown() })
    .partial()
    .catch({})
    .parse(raw);
  switch (type) {
    case undefined:
      if (url === undefined) return Stdio;
      throw new McpConfigError(
        `MCP server "${name}" has a url and no type. Add "type": "http", or "sse" for an old server.`,
      );
    case 'stdio':
      return Stdio;
    case 'http':
    case 'streamable-http':
    case 'sse':
      return Remote;
    case 'sdk':
      return Hosted;
    default:
      throw new McpConfigError(
        `MCP server "${name}" has the type ${JSON.stringify(type)}. Use stdio, http or sse.`,
      );
  }
}

/** What is written about MCP servers cannot be used. The message says where, what, and the cure. */
export class McpConfigError extends Error {
  override readonly name = 'McpConfigError';
}
