import type { Client } from '@temporalio/client';
import { listOpenSessions } from '../../adoption/open-sessions';
import { storeHash } from '../../transcript/place';
import type { ListedWorker } from '../../transcript/worker-register';
import { ATTRIBUTES, toWaitingFor } from '../../visibility/search-attributes';
import type { Operator } from './operator';
import { isLiving, requireWorkspaces } from './workspaces';

/** One line of `--json`. */
interface ListedWorkspace {
  readonly workspace: string;
  /** Workers that live. */
  readonly workers: readonly Pick<ListedWorker, 'workerId' | 'host' | 'beganAt'>[];
  /** Hosts whose Workers are gone. */
  readonly gone: readonly { readonly host: string; readonly since: string }[];
  readonly sessions: number;
  readonly open: number;
  /** Queries that wait for a Worker; null: the server cannot count them. */
  readonly waiting: number | null;
}

/** Every workspace of the store that has sessions or had Workers lately, by name. */
export async function listWorkspaces(
  { json }: { readonly json: boolean },
  { host, connected, stdout }: Operator,
): Promise<number> {
  const register = requireWorkspaces(host.store);
  const { client } = connected;
  const { place } = host.store;
  const [workers, sessions, open] = await Promise.all([
    register.list(),
    host.store.listSessions(),
    listOpenSessions(client, place),
  ]);
  const named = sessions.flatMap(({ workspace }) => workspace ?? []);
  const names = new Set([...workers.map(({ workspace }) => workspace.name), ...named]);
  for (const name of [...names].sort()) {
    const own = workers.filter(({ workspace }) => workspace.name === name);
    const here = sessions.filter(({ workspace }) => workspace === name);
    const listed: ListedWorkspace = {
      workspace: name,
      workers: own.filter(isLiving).map(({ workerId, host: on, beganAt }) => ({
        workerId,
        host: on,
        beganAt,
      })),
      gone: goneOf(own),
      sessions: here.length,
      open: here.filter(({ sessionId }) => open.has(sessionId)).length,
      waiting: await waitingIn(client, { place, name }),
    };
    if (json) await stdout.writeLine({ ...listed });
    else await stdout.write(`${textOf(listed)}\n`);
  }
  if (names.size === 0 && !json) {
    await stdout.write('No Worker has served a workspace yet. Start one: everloop worker\n');
  }
  return 0;
}

/** Hosts with Workers of this workspace, of which none lives. */
function goneOf(workers: readonly ListedWorker[]): ListedWorkspace['gone'] {
  const living = new Set(workers.filter(isLiving).map(({ host }) => host));
  const last = new Map<string, string>();
  for (const { host, seenAt } of workers) {
    if (!living.has(host) && seenAt > (last.get(host) ?? '')) last.set(host, seenAt);
  }
  return [...last].map(([host, since]) => ({ host, since }));
}

async function waitingIn(
  client: Client,
  { place, name }: { readonly place: string; readonly name: string },
): Promise<number | null> {
  const query = `WorkflowId STARTS_WITH '${storeHash(place)}-' AND ${ATTRIBUTES.waitingFor.name} = '${toWaitingFor(name)}' AND ExecutionStatus = 'Running'`;
  try {
    return (await client.workflow.count(query)).count;
  } catch {
    return null;
  }
}

function textOf({ workspace, workers, gone, sessions, open, waiting }: ListedWorkspace): string {
  const hosts = [...new Set(workers.map(({ host }) => host))].join(', ');
  const living =
    workers.length === 0
      ? 'no Worker lives'
      : `${workers.length} Worker${workers.length === 1 ? '' : 's'} on ${hosts}`;
  const lost = gone.map(({ host, since }) => `${host} is gone since ${since}`);
  const waits = waiting === null || waiting === 0 ? [] : [`${waiting} wait for a Worker`];
  return `${workspace}  ${[living, ...lost, `${sessions} sessions, ${open} open`, ...waits].join('; ')}`;
}
