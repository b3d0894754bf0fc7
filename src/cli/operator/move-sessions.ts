import { ApplicationFailure } from '@temporalio/common';
import { isBackgroundQueue, workspaceQueue } from '../../temporal/task-queue';
import type { SessionMeta } from '../../transcript/store';
import type { WorkerRegister } from '../../transcript/worker-register';
import { CliError } from '../cli-error';
import { FoldersThere } from './folder-there';
import { heard } from './heard';
import { inTurns } from './in-turns';
import type { Operator } from './operator';
import type { MoveCommand } from './workspace-command';
import { takenWork } from './taken-work';
import { isLiving, requireWorkspaces, seenIn, type RegisterSeen } from './workspaces';

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
  const seen = await seenIn(register);
  const folders = new FoldersThere(to, operator);
  const moved = await inTurns(selected, async (meta): Promise<Moved> => {
    const { sessionId, workspace: from = null } = meta;
    try {
      requireMovable(meta);
      if (!force) {
        requireWorker(seen, { meta, to, place: operator.host.store.place });
        await folders.require(meta);
      }
      await moveOne(meta, to, { ...operator, register, seen });
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

/** Fails: CliError. */
function requireMovable({ workspace }: SessionMeta): void {
  if (workspace !== undefined) return;
  throw new CliError(
    'It has no workspace: an older build made it, or a program with a Task Queue of its own. It runs where that queue is served.',
  );
}

interface Moving extends Operator {
  readonly register: WorkerRegister;
  readonly seen: RegisterSeen;
}

/** The running query first: what it cannot hear must not be promised to the next one. Of two who move it at once, the
 *  one whose word is in the store first counts, and the other one tells the query so. */
async function moveOne(meta: SessionMeta, to: string, moving: Moving): Promise<void> {
  const { sessionId, workspace: from = null } = meta;
  const hasHeard = await tell(meta, to, moving);
  const now = await moving.register.moveSession(sessionId, { from, to });
  // It may have begun meanwhile, from what the store said before.
  if (now !== to || !hasHeard) await tell(meta, now, moving);
  if (now !== to) throw new CliError(`Somebody else has just moved it to ${now}, where it is now.`);
}

/** false: it does not run, or on a queue of its own, which the Worker of its workspace takes over. */
async function tell(
  { sessionId, taskQueue, fingerprint }: SessionMeta,
  to: string,
  { connected, host, seen }: Moving,
): Promise<boolean> {
  const { agent } = connected;
  if (!isBackgroundQueue(taskQueue) || !(await agent.isRunning(sessionId))) return false;
  const taken = await takenWork(sessionId, seen.workers.filter(isLiving), { connected, host });
  const queue = workspaceQueue(host.store.place, fingerprint, to);
  const workspace = { name: to, taskQueue: queue, ...(taken.length > 0 && { taken }) };
  return heard(sessionId, agent.change(sessionId, { workspace }));
}

/** Fails: CliError where nobody would take up the session's work. */
function requireWorker(
  { workers, drains }: RegisterSeen,
  { meta, to, place }: { readonly meta: SessionMeta; readonly to: string; readonly place: string },
): void {
  const queue = workspaceQueue(place, meta.fingerprint, to);
  const shut = new Set(drains.map(({ host }) => host));
  const living = workers.filter(isLiving);
  const there = living.filter(({ workspace }) => workspace.taskQueue === queue);
  const open = living.filter(({ host }) => !shut.has(host));
  if (there.some((worker) => open.includes(worker))) return;
  const [drained] = there;
  if (drained !== undefined) {
    throw new CliError(
      `The workspace "${to}" is served by ${drained.host} alone, which is drained: it takes nothing new. End that: everloop workspace undrain ${drained.host}. Or let it wait there: --force.`,
    );
  }
  const names = [...new Set(open.map(({ workspace }) => workspace.name))].sort();
  throw new CliError(
    `No Worker of the workspace "${to}" lives that could serve it (base URL ${meta.fingerprint.baseUrl}). Start one there: EVERLOOP_WORKSPACE=${to} everloop worker. Or let it wait there: --force. With living Workers: ${names.join(', ') || 'none'}.`,
  );
}
