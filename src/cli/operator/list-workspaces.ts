import type { Client } from '@temporalio/client';
import { listOpenSessions } from '../../adoption/open-sessions';
import { storeHash } from '../../transcript/place';
import type { ListedWorker } from '../../transcript/worker-register';
import { ATTRIBUTES, toWaitingFor } from '../../visibility/search-attributes';
import type { Operator } from './operator';
import { hostsOf, requireWorkspaces, seenIn, type WorkspaceHosts } from './workspaces';

/** One line of `--json`. */
interface ListedWorkspace {
  readonly workspace: string;
  /** Workers that live. */
  readonly workers: readonly Pick<
    ListedWorker,
    'workerId' | 'host' | 'beganAt' | 'running' | 'isDrained'
  >[];
  readonly gone: WorkspaceHosts['gone'];
  readonly drained: WorkspaceHosts['drained'];
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
  const [seen, sessions, open] = await Promise.all([
    seenIn(register),
    host.store.listSessions(),
    listOpenSessions(client, place),
  ]);
  const named = sessions.flatMap(({ workspace }) => workspace ?? []);
  const names = new Set([...seen.workers.map(({ workspace }) => workspace.name), ...named]);
  for (const name of [...names].sort()) {
    const { living, gone, drained } = hostsOf(name, seen);
    const here = sessions.filter(({ workspace }) => workspace === name);
    const listed: ListedWorkspace = {
      workspace: name,
      workers: living.map(({ workerId, host: on, beganAt, running, isDrained }) => ({
        workerId,
        host: on,
        beganAt,
        running,
        isDrained,
      })),
      gone,
      drained,
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

function textOf(listed: ListedWorkspace): string {
  const { workspace, workers, gone, drained, sessions, open, waiting } = listed;
  const hosts = [...new Set(workers.map(({ host }) => host))].join(', ');
  const living =
    workers.length === 0
      ? 'no Worker lives'
      : `${workers.length} Worker${workers.length === 1 ? '' : 's'} on ${hosts}`;
  const lost = gone.map(({ host, since }) => `${host} is gone since ${since}`);
  const shut = drained.map(({ host, since }) => {
    const running = workers.reduce((sum, one) => sum + (one.host === host ? one.running : 0), 0);
    return `${host} is drained since ${since}${running === 0 ? '' : `, ${running} still run there`}`;
  });
  const waits = waiting === null || waiting === 0 ? [] : [`${waiting} wait for a Worker`];
  return `${workspace}  ${[living, ...lost, ...shut, `${sessions} sessions, ${open} open`, ...waits].join('; ')}`;
}
