import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { listOpenSessions } from '../../adoption/open-sessions';
import { decrypted } from '../../client/decrypted';
import { findTrouble, type Trouble } from '../../client/session-trouble';
import { queryWorkflowId } from '../../loop/workflow-id';
import { sessionWorkflowId } from '../../transcript/place';
import type { QueryResult } from '../../transcript/session-log';
import type { SessionMeta, SessionStore } from '../../transcript/store';
import { ATTRIBUTES } from '../../visibility/search-attributes';
import type { QueryStatus, SessionStatus } from '../../workflows/interface';
import { isServed } from '../serve-session';
import type { Operator } from './operator';
import { pendingWork, type PendingWork } from './pending-work';

/** What is known of a query that runs. */
export interface QueryReport {
  readonly workflowId: string;
  /** As the server's index has it; null: it has no such attribute. */
  readonly status: string | null;
  readonly waitingFor: string | null;
  readonly model: string | null;
  readonly summary: string | null;
  readonly events: number;
  readonly pending: readonly PendingWork[];
  /** What it says itself; null: nobody serves it, so that nobody can say. */
  readonly own: QueryStatus | null;
}

export interface SessionReport extends Pick<SessionMeta, 'sessionId' | 'cwd' | 'createdAt'> {
  readonly taskQueue: string;
  /** `open`: its Workflow runs, and may have nothing to do. */
  readonly state: 'open' | 'ended';
  readonly isServed: boolean;
  /** Worker that holds the session, alive or not; null: none does. */
  readonly worker: string | null;
  readonly paused: boolean;
  /** Ids of messages that nobody has taken up. */
  readonly waiting: readonly string[];
  readonly queries: readonly QueryReport[];
  readonly trouble: Trouble | null;
  /** How the last query ended; null: none has. */
  readonly lastResult: Pick<
    QueryResult,
    'subtype' | 'terminal_reason' | 'num_turns' | 'total_cost_usd' | 'errors'
  > | null;
}

/** Asks the server, the store and, as long as somebody serves it, the session itself. */
export async function reportOf(
  store: SessionStore,
  { connected, host }: Pick<Operator, 'connected' | 'host'>,
): Promise<SessionReport> {
  const { sessionId, cwd, createdAt, taskQueue } = store.meta;
  const { client, agent } = connected;
  const { place } = host.store;
  const isOpen = await agent.isRunning(sessionId);
  const own = isOpen ? await ifAnswered(() => agent.status(sessionId)) : null;
  const ids = isOpen ? await queryIds(client, { place, sessionId, status: own }) : [];
  const lease = await store.currentLease();
  return {
    sessionId,
    cwd,
    createdAt,
    taskQueue,
    state: isOpen ? 'open' : 'ended',
    isServed: await isServed(host, store),
    worker: lease?.owner.workerId ?? null,
    paused: own?.paused ?? false,
    waiting: own?.waiting ?? [],
    queries: (await Promise.all(ids.map((id) => reportQuery(client, id)))).flat(),
    trouble: isOpen ? await findTrouble(client, [sessionWorkflowId(place, sessionId)]) : null,
    lastResult: await lastResultOf(store),
  };
}

type Client = Operator['connected']['client'];

/** A session that has just begun a query may not be in the server's index with it yet. */
async function queryIds(
  client: Client,
  of: {
    readonly place: string;
    readonly sessionId: string;
    readonly status: SessionStatus | null | undefined;
  },
): Promise<readonly string[]> {
  const open = await listOpenSessions(client, of.place);
  const runsAs = sessionWorkflowId(of.place, of.sessionId);
  const listed = (open.get(of.sessionId) ?? []).map((promptId) =>
    queryWorkflowId(runsAs, promptId),
  );
  const active = of.status?.activeQuery?.workflowId;
  return [...new Set([...(active === undefined ? [] : [active]), ...listed])];
}

async function reportQuery(client: Client, workflowId: string): Promise<readonly QueryReport[]> {
  const handle = client.workflow.getHandle(workflowId);
  let described: WorkflowExecutionDescription;
  try {
    described = await handle.describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
  if (described.status.name !== 'RUNNING') return [];
  await decrypted(client, described.raw.pendingActivities ?? []);
  const { typedSearchAttributes: attributes } = described;
  return [
    {
      workflowId,
      status: attributes.get(ATTRIBUTES.status) ?? null,
      waitingFor: attributes.get(ATTRIBUTES.waitingFor) ?? null,
      model: attributes.get(ATTRIBUTES.model) ?? null,
      // Who has no key for it is told so by what cannot go on.
      summary: (await described.staticSummary().catch(() => null)) ?? null,
      events: described.historyLength,
      pending: pendingWork(described),
      own: await ifAnswered(() => handle.query<QueryStatus>('status')),
    },
  ];
}

/** A Worker that lives answers in milliseconds, one that replaces another in seconds. */
const ANSWER_WITHIN_MS = 5_000;

/** null: nobody serves it. */
async function ifAnswered<T>(ask: () => Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([ask().catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function lastResultOf(store: SessionStore): Promise<SessionReport['lastResult']> {
  let last: QueryResult | null = null;
  for await (const { entry } of store.log.read()) {
    if (entry.type === 'query_ended') last = entry.result;
  }
  if (last === null) return null;
  const { subtype, terminal_reason, num_turns, total_cost_usd, errors } = last;
  return { subtype, terminal_reason, num_turns, total_cost_usd, ...(errors && { errors }) };
}
