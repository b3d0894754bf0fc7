import { join } from 'node:path';
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { defineTool, ToolError, type Tool } from '../tools/tool';
import type { ToolResultContent } from '../transcript/record';
import { CallFailure } from './failure';
import { kept, toImage } from './result-content';
import type { SessionServers } from './session-servers';

/** The tools for what servers have to read. `names`: servers that have resources. */
export function resourceTools(
  servers: SessionServers,
  names: readonly string[],
): readonly [Tool<{ server?: string | undefined }>, Tool<{ server: string; uri: string }>] {
  const safe = {
    effect: 'rerun',
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    resultLimitChars: servers.limits.resultChars,
  } as const;
  const list = defineTool({
    ...safe,
    name: 'ListMcpResourcesTool',
    aliases: ['ListMcpResources'],
    description:
      'Lists the resources that MCP servers offer: their uri, name, type and server. Give `server` to list those of one.',
    inputSchema: z.strictObject({ server: z.string().optional().describe('Name of a server') }),
    summarize: ({ server }) => server ?? 'all servers',
    async call({ server }, { signal }) {
      const wanted = server === undefined ? names : [requireServer(server, names)];
      const lists = await Promise.all(
        wanted.map(async (name) => listOf(servers, name, signal).catch(toLine(name))),
      );
      const listed = lists.flat();
      return {
        content: listed.length === 0 ? 'There are none.' : JSON.stringify(listed, null, 1),
        structured: listed,
      };
    },
  });
  const read = defineTool({
    ...safe,
    name: 'ReadMcpResourceTool',
    aliases: ['ReadMcpResource'],
    description: 'Reads a resource of an MCP server, by its uri.',
    inputSchema: z.strictObject({
      server: z.string().describe('Name of the server'),
      uri: z.string().describe('As it was listed'),
    }),
    summarize: ({ server, uri }) => `${server} ${uri}`,
    async call({ server, uri }, { signal, callFolder }) {
      const result = await readResource(servers, {
        server: requireServer(server, names),
        uri,
        signal,
      });
      return { content: await toContent(result, callFolder), structured: result.contents };
    },
  });
  return [list, read];
}

/** Fails: ToolError. */
export async function readResource(
  servers: SessionServers,
  {
    server,
    uri,
    signal,
  }: { readonly server: string; readonly uri: string; readonly signal: AbortSignal },
): Promise<ReadResourceResult> {
  return asToolError(() =>
    servers.use(server, (connection) => connection.readResource(uri, signal), {
      mayRepeat: true,
      signal,
    }),
  );
}

async function listOf(
  servers: SessionServers,
  server: string,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const resources = await asToolError(() =>
    servers.use(server, (connection) => connection.listResources(signal), {
      mayRepeat: true,
      signal,
    }),
  );
  return resources.map(({ uri, name, mimeType, description }) => ({
    server,
    uri,
    name,
    mimeType,
    description,
  }));
}

/** One server that cannot say hides none of the others. */
const toLine =
  (server: string) =>
  (error: unknown): readonly object[] => {
    if (!(error instanceof ToolError)) throw error;
    return [{ server, error: error.message }];
  };

async function asToolError<Result>(use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    throw error instanceof CallFailure ? new ToolError(error.message) : error;
  }
}

function requireServer(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  throw new ToolError(
    `No MCP server "${name}" has resources. Those that have: ${names.join(', ')}.`,
  );
}

async function toContent(
  { contents }: ReadResourceResult,
  folder: string,
): Promise<ToolResultContent> {
  const parts = await Promise.all(
    contents.map(async (one, index) => {
      if ('text' in one) return { type: 'text' as const, text: one.text };
      const bytes = { data: one.blob, mimeType: one.mimeType ?? 'application/octet-stream' };
      return toImage(bytes) ?? kept(bytes, join(folder, `part-${index + 1}`));
    }),
  );
  return parts.every((part) => part.type === 'text')
    ? parts.map(({ text }) => text).join('\n')
    : parts;
}
