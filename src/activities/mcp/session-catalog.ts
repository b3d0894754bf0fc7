import { NO_SERVERS, type Catalog } from '../../mcp/catalog';
import type { McpPlace } from '../../mcp/mcp-sessions';
import { isBackgroundQueue } from '../../temporal/task-queue';
import type { Tool } from '../../tools/tool';
import type { RunOptions } from '../../transcript/message';
import type { ModelCall } from '../call-model/call-model';
import type { ActivityDeps } from '../deps';
import type { QueryCall } from '../query-call';
import type { ServedSession } from '../served-sessions';

/** The document of the session that holds its catalog: a process that takes a query over tells the model of the
 *  same tools, whether it has reached their servers yet or not. */
const CATALOG = 'mcp-servers';

/** The tools of the session's servers. An agent of a program brings its own tools. */
export async function mcpTools(
  { mcp }: ActivityDeps,
  session: ServedSession,
  options: RunOptions,
): Promise<readonly Tool[]> {
  if (mcp === undefined || options.agent !== undefined) return [];
  const catalog = await catalogOf(session);
  return catalog.servers.length === 0 ? [] : mcp.tools(catalog, mcpPlace(session, options));
}

/** What the session's servers offered when the newest message came. Read once per process: only this one writes it. */
export async function catalogOf(session: ServedSession): Promise<Catalog> {
  session.catalog ??=
    ((await session.store.readDocument(CATALOG)) as Catalog | undefined) ?? NO_SERVERS;
  return session.catalog;
}

export function mcpPlace({ store }: ServedSession, options: RunOptions): McpPlace {
  const { sessionId, cwd, taskQueue } = store.meta;
  return { sessionId, cwd, options, isBackground: isBackgroundQueue(taskQueue) };
}

/** The first request of a user's message looks at the servers again; all others, and sub-agents, take them as they
 *  were then. */
export async function withFreshServers(call: ModelCall): Promise<ModelCall> {
  const { deps, session, options, input, promptId, agent } = call;
  const isFirst = input.messages.pending.some(
    (pending) => pending.type === 'message' && pending.messageId === promptId,
  );
  const isOwn = options.agent === undefined && options.subAgent === undefined;
  if (deps.mcp === undefined || !isFirst || !isOwn || session.listedFor === promptId) return call;
  const before = await mcpTools(deps, session, options);
  await refresh(call);
  session.listedFor = promptId;
  const others = agent.tools.filter((tool) => !before.includes(tool));
  const tools = [...others, ...(await mcpTools(deps, session, options))];
  return { ...call, agent: { ...agent, tools } };
}

/** What has not changed stays the same object, and costs no write. */
async function refresh({ deps, session, options }: QueryCall): Promise<void> {
  const before = await catalogOf(session);
  const now = (await deps.mcp?.of(mcpPlace(session, options)).refresh()) ?? NO_SERVERS;
  if (JSON.stringify(now) === JSON.stringify(before)) return;
  await session.store.writeDocument(session.lease, CATALOG, now);
  session.catalog = now;
}
