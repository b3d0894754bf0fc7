import { ServiceError, type Client } from '@temporalio/client';
import { sessionIdOf } from '../../loop/workflow-id';
import { storeHash } from '../../transcript/place';
import type { SessionMeta, TranscriptStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import { isUuid } from '../option-values';

interface SelectionWorld {
  readonly store: TranscriptStore;
  readonly client: Client;
  /** `open`: a visibility query finds running Workflows alone. `any`: closed ones too. Ids and prefixes are not
   *  looked up at the server: they find every session that the store knows. */
  readonly among: 'open' | 'any';
}

/** The sessions that each selector names: a session id, the beginning of one, or a visibility query (Temporal's list
 *  filter, as `EverloopStatus = "running"`; a query's Workflow stands for its session). Each session comes once, in
 *  the order of the selectors. What the server lists may be a moment behind.
 *  Fails: CliError when a selector names no session, or is a prefix of several. */
export async function selectSessions(
  selectors: readonly string[],
  world: SelectionWorld,
): Promise<readonly SessionMeta[]> {
  const selected = new Map<string, SessionMeta>();
  for (const selector of selectors) {
    for (const meta of await selectOne(selector.trim(), world)) selected.set(meta.sessionId, meta);
  }
  return [...selected.values()];
}

/** As `selectSessions`. Fails: CliError also when a query finds several. */
export async function selectSession(selector: string, world: SelectionWorld): Promise<SessionMeta> {
  const [first, ...others] = await selectSessions([selector], world);
  if (first !== undefined && others.length === 0) return first;
  throw several(`match ${selector}`, first === undefined ? others : [first, ...others]);
}

/** The session with the id, or the beginning of one. Asks no server.
 *  Fails: CliError when there is none, or several. */
export async function selectStored(selector: string, store: TranscriptStore): Promise<SessionMeta> {
  const id = selector.trim().toLowerCase();
  const [found] = isUuid(id) ? await byId(id, { store }) : await byPrefix(id, { store });
  if (found === undefined) throw new Error(`No session was selected by ${selector}.`);
  return found;
}

const PREFIX = /^[0-9a-f-]{1,36}$/i;

function selectOne(selector: string, world: SelectionWorld): Promise<readonly SessionMeta[]> {
  if (isUuid(selector)) return byId(selector.toLowerCase(), world);
  if (PREFIX.test(selector)) return byPrefix(selector.toLowerCase(), world);
  if (/[\s=<>(]/.test(selector)) return byQuery(selector, world);
  throw new CliError(
    `'${selector}' is neither a session id, nor the beginning of one, nor a visibility query such as 'EverloopStatus = "running"'. List sessions: everloop ls`,
  );
}

async function byId(
  sessionId: string,
  { store }: Pick<SelectionWorld, 'store'>,
): Promise<readonly SessionMeta[]> {
  const session = await store.openSession(sessionId);
  if (session !== undefined) return [session.meta];
  throw new CliError(`No session has the id ${sessionId}. List them: everloop ls`);
}

async function byPrefix(
  prefix: string,
  { store }: Pick<SelectionWorld, 'store'>,
): Promise<readonly SessionMeta[]> {
  const known = [...(await store.listSessions()), ...(await store.listRecorded())];
  const found = known.filter(({ sessionId }) => sessionId.startsWith(prefix));
  if (found.length === 1) return found;
  if (found.length > 1) throw several(`begin with ${prefix}`, found);
  throw new CliError(`No session begins with ${prefix}. List them: everloop ls`);
}

async function byQuery(query: string, world: SelectionWorld): Promise<readonly SessionMeta[]> {
  const { store } = world;
  const ids = await idsBy(query, world);
  const found = (await store.listSessions()).filter(({ sessionId }) => ids.has(sessionId));
  if (found.length > 0) return found;
  const open = world.among === 'open' ? 'open ' : '';
  throw new CliError(`No ${open}session matches ${query}. List them: everloop ls`);
}

/** Of this store: others may share the server. */
async function idsBy(
  query: string,
  { store, client, among }: SelectionWorld,
): Promise<ReadonlySet<string>> {
  const own = `WorkflowId STARTS_WITH '${storeHash(store.place)}-'`;
  const open = among === 'open' ? " AND ExecutionStatus = 'Running'" : '';
  const ids = new Set<string>();
  try {
    for await (const { workflowId } of client.workflow.list({
      query: `${own}${open} AND (${query})`,
    })) {
      ids.add(sessionIdOf(workflowId));
    }
  } catch (error) {
    throw refusedQuery(query, error);
  }
  return ids;
}

/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3;

function refusedQuery(query: string, error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(cause instanceof Error && 'code' in cause && cause.code === INVALID_ARGUMENT)) return error;
  const details = 'details' in cause ? String(cause.details) : cause.message;
  return new CliError(
    `The server refused the visibility query ${query}: ${details}. It takes Temporal's list filter, as 'EverloopStatus = "running"'.`,
  );
}

const MOST_SHOWN = 10;

function several(which: string, found: readonly SessionMeta[]): CliError {
  const shown = found
    .slice(0, MOST_SHOWN)
    .map(({ sessionId, cwd, createdAt }) => `  ${sessionId}  ${createdAt}  ${cwd}`);
  const more = found.length > MOST_SHOWN ? [`  and ${found.length - MOST_SHOWN} more`] : [];
  return new CliError(
    [`${found.length} sessions ${which}; one is wanted. Give its id:`, ...shown, ...more].join(
      '\n',
    ),
  );
}
