import { hostPartsOf } from '../activity-surroundings';
import { listOpenSessions } from '../adoption/open-sessions';
import { needOf } from '../adoption/need';
import { sessionIdOf } from '../loop/workflow-id';
import { storeHash } from '../transcript/place';
import type { SessionMeta } from '../transcript/store';
import { ATTRIBUTES } from '../visibility/search-attributes';
import type { ListedSession } from './list';
import { selectSessions } from './operator/select-sessions';
import { seenIn, whyUnserved } from './operator/workspaces';
import { isOnOwnQueue, isServed } from './serve-session';
import type { Connected, SessionHost } from './session-host';

/** Every session of the store with what it does now, as the server knows it, and those of other programs
 *  (`recorded`), which can be resumed. */
export async function listSessions(
  host: SessionHost,
  query: string | null = null,
): Promise<readonly ListedSession[]> {
  const connected = await host.connect();
  try {
    const { client } = connected;
    const { store } = host;
    // What nobody has resumed here is unknown to the server.
    const recorded = query === null ? await store.listRecorded() : [];
    const metas =
      query === null
        ? await store.listSessions()
        : await selectSessions([query], { store, client, among: 'any' });
    const statuses = await queryStatuses(client, store.place).catch(() => NO_STATUSES);
    const open = await listOpenSessions(connected.client, host.store.place).catch(
      () => new Map<string, readonly string[]>(),
    );
    const seen = store.workers === undefined ? null : await seenIn(store.workers);
    const own = await Promise.all(
      metas.map(async (meta) => {
        const { sessionId, cwd, createdAt } = meta;
        const state = await stateOf(connected, sessionId);
        const running = open.get(sessionId) ?? [];
        const { status = null, waitingFor = null } = statuses.get(sessionId) ?? {};
        const { workspace } = meta;
        const isUnserved = status === 'awaiting-workspace' && workspace !== undefined && seen;
        const needs = isUnserved
          ? whyUnserved(workspace, sessionId, seen)
          : state === 'open'
            ? await needsOf(host, meta, running)
            : null;
        return { sessionId, cwd, createdAt, state, status, waitingFor, needs };
      }),
    );
    return [...own, ...recorded.map(toRecorded)];
  } finally {
    await connected.close();
  }
}

type Statuses = ReadonlyMap<string, Pick<ListedSession, 'status' | 'waitingFor'>>;
const NO_STATUSES: Statuses = new Map();

/** Of the running queries that the server's index has a status of, by session. Where several run, one that waits
 *  counts. */
async function queryStatuses(client: Connected['client'], place: string): Promise<Statuses> {
  const filter = `WorkflowId STARTS_WITH '${storeHash(place)}-' AND ExecutionStatus = 'Running'`;
  const statuses = new Map<string, Pick<ListedSession, 'status' | 'waitingFor'>>();
  const query = `${filter} AND ${ATTRIBUTES.status.name} IS NOT NULL`;
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query })) {
    const status = typedSearchAttributes.get(ATTRIBUTES.status);
    const waitingFor = typedSearchAttributes.get(ATTRIBUTES.waitingFor) ?? null;
    const sessionId = sessionIdOf(workflowId);
    if (status === undefined || statuses.get(sessionId)?.waitingFor != null) continue;
    statuses.set(sessionId, { status, waitingFor });
  }
  return statuses;
}

const toRecorded = ({ sessionId, cwd, createdAt }: SessionMeta): ListedSession => ({
  sessionId,
  cwd,
  createdAt,
  state: 'recorded',
});

async function stateOf({ agent }: Connected, sessionId: string): Promise<string | null> {
  try {
    return (await agent.isRunning(sessionId)) ? 'open' : 'ended';
  } catch {
    return null;
  }
}

/** What keeps a query from going on, as this process sees it; null: nothing does, or none runs. */
async function needsOf(
  host: SessionHost,
  { sessionId }: SessionMeta,
  promptIds: readonly string[],
): Promise<string | null> {
  const session = await host.store.openSession(sessionId);
  if (session === undefined || promptIds.length === 0) return null;
  if (!isOnOwnQueue(host, session) || (await isServed(host, session))) return null;
  const candidate = {
    fingerprint: host.fingerprint,
    hostParts: hostPartsOf(host.settings),
    workspace: host.config.workspace,
  };
  const need = await needOf(session, promptIds, candidate);
  return need ?? `somebody who serves it: everloop attach ${sessionId}, or everloop worker`;
}
