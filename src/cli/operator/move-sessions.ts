import { ApplicationFailure } from '@temporalio/common';
import { isBackgroundQueue, workspaceQueue } from '../../temporal/task-queue';
import type { SessionMeta } from '../../transcript/store';
import type { ListedWorker, WorkerRegister } from '../../transcript/worker-register';
import { CliError } from '../cli-error';
import { heard } from './heard';
import { inTurns } from './in-turns';
import type { Operator } from './operator';
import type { MoveCommand } from './workspace-command';
import { isLiving, requireWorkspaces } from './workspaces';

interface Moved {
  readonly sessionId: string;
  readonly from: string | null;
  readonly to: string;
  /** null: it goes on there. */
  readonly error: string | null;
}

/** Lets sessions go on in another workspace. A call that a living Worker runs is finished where it runs; what nobody
 *  has taken, or what a lost host ran, goes on there. Exit code 0: all of them do. */
export async function moveSessions(
  { selectors, to, force, json }: MoveCommand,
  operator: Operator,
): Promise<number> {
  const register = requireWorkspaces(operator.host.store);
  const selected = await operator.sessions(selectors, 'any');
  const workers = await register.list();
  const moved = await inTurns(selected, async (meta): Promise<Moved> => {
    const { sessionId, workspace: from = null } = meta;
    try {
      if (!force) requireWorker(workers, { meta, to, place: operator.host.store.place });
      await moveOne(meta, to, { register, ...operator });
      return { sessionId, from, to, error: null };
    } catch (error) {
      if (!(error instanceof ApplicationFailure || error instanceof CliError)) throw error;
      return { sessionId, from, to, error: error.message };
    }
  });
  for (const one of moved) {
    if (json) await operator.stdout.writeLine({ ...one });
    else await operator.stdout.write(`${one.sessionId}  ${one.error ?? `goes on in ${to}`}\n`);
  }
  return moved.every(({ error }) => error === null) ? 0 : 1;
}

/** The running query first: what it cannot hear must not be promised to the next one. */
async function moveOne(
  { sessionId, workspace, taskQueue, fingerprint }: SessionMeta,
  to: string,
  { register, connected, host }: Operator & { readonly register: WorkerRegister },
): Promise<void> {
  if (workspace === undefined) {
    throw new CliError(
      'It has no workspace: an older build made it, or a program with a Task Queue of its own. It runs where that queue is served.',
    );
  }
  const { agent } = connected;
  // One that belongs to a command runs on a queue of its own, which the Worker of its workspace takes over.
  if (isBackgroundQueue(taskQueue) && (await agent.isRunning(sessionId))) {
    const queue = workspaceQueue(host.store.place, fingerprint, to);
    await heard(sessionId, agent.change(sessionId, { workspace: { name: to, taskQueue: queue } }));
  }
  await register.moveSession(sessionId, to);
}

/** Fails: CliError where nobody would take up the session's work. */
function requireWorker(
  workers: readonly ListedWorker[],
  { meta, to, place }: { readonly meta: SessionMeta; readonly to: string; readonly place: string },
): void {
  const queue = workspaceQueue(place, meta.fingerprint, to);
  const living = workers.filter(isLiving);
  if (living.some(({ workspace }) => workspace.taskQueue === queue)) return;
  const names = [...new Set(living.map(({ workspace }) => workspace.name))].sort();
  throw new CliError(
    `No Worker of the workspace "${to}" lives that could serve it (base URL ${meta.fingerprint.baseUrl}). Start one there: EVERLOOP_WORKSPACE=${to} everloop worker. Or let it wait there: --force. With living Workers: ${names.join(', ') || 'none'}.`,
  );
}
