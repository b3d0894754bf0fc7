import type { Catalog } from '../../mcp/catalog';
import { expandServerPrompt, promptCommands, readMentionedResources } from '../../mcp/prompt-text';
import type { SessionServers } from '../../mcp/session-servers';
import type { LogEntry, QueryInit } from '../../transcript/session-log';
import type { Surroundings } from '../deps';
import type { QueryCall } from '../query-call';
import { catalogOf, mcpPlace } from './session-catalog';

/** The surroundings of a query in which a prompt may also be one of a server's, and mention what a server has. */
export async function withServers(call: QueryCall): Promise<Surroundings> {
  const { deps, session, options, attempt } = call;
  const { surroundings, mcp } = deps;
  const catalog = await catalogOf(session);
  if (mcp === undefined || catalog.servers.length === 0) return surroundings;
  const servers = mcp.of(mcpPlace(session, options));
  return {
    ...surroundings,
    async expandPrompt(text, place, runLine) {
      const signal = AbortSignal.any([attempt.stop, attempt.over]);
      const ofServer = await expandServerPrompt(text, { catalog, servers, signal });
      if (ofServer?.type === 'local') return ofServer;
      const expanded =
        ofServer === null
          ? await surroundings.expandPrompt(text, place, runLine)
          : { type: 'prompt' as const, text: ofServer.text, attachments: [] };
      return expanded.type === 'prompt'
        ? withResources(expanded, { catalog, servers, signal })
        : expanded;
    },
  };
}

type Prompt = Extract<Awaited<ReturnType<Surroundings['expandPrompt']>>, { type: 'prompt' }>;

async function withResources(
  prompt: Prompt,
  of: { readonly catalog: Catalog; readonly servers: SessionServers; readonly signal: AbortSignal },
): Promise<Prompt> {
  const text = await readMentionedResources(prompt.text, of);
  if (text === null) return prompt;
  return { ...prompt, attachments: [...prompt.attachments, { text, images: [], filesSeen: [] }] };
}

/** What observers of a query are told of its servers when it begins. */
export async function serversInInit({
  session,
}: QueryCall): Promise<Pick<QueryInit, 'mcpServers' | 'slashCommands'>> {
  const catalog = await catalogOf(session);
  return {
    mcpServers: catalog.servers.map(({ name, status, scope }) => ({ name, status, source: scope })),
    slashCommands: promptCommands(catalog),
  };
}

/** What people should know about the servers of a query that begins, a sentence each. */
export async function serverNotices(call: QueryCall): Promise<readonly LogEntry[]> {
  const { deps, session, options, queryId } = call;
  const { servers } = await catalogOf(session);
  const problems = deps.mcp?.of(mcpPlace(session, options)).problems ?? [];
  const failed = servers.flatMap(({ error }) => (error === undefined ? [] : [error]));
  return [...problems, ...failed].map((text) => ({
    type: 'notice',
    queryId,
    level: 'warning',
    text,
  }));
}
