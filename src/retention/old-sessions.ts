import { listOpenSessions } from '../adoption/open-sessions';
import { listShells, stateOf } from '../tools/shell/background-shell';
import { isBackgroundQueue } from '../temporal/task-queue';
import type { SessionStore } from '../transcript/store';
import type { CollectionOptions } from './collect-sessions';

/** Sessions that nothing runs for, nobody holds, and nobody has written to since. */
export async function findOldSessions({
  client,
  store,
  before,
  isAlive,
}: Pick<CollectionOptions, 'client' | 'store' | 'before' | 'isAlive'>): Promise<
  readonly SessionStore[]
> {
  const open = await listOpenSessions(client, store.place);
  const old: SessionStore[] = [];
  for (const { sessionId } of await store.listSessions()) {
    const session = open.has(sessionId) ? undefined : await store.openSession(sessionId);
    if (session === undefined) continue;
    const { writtenAt } = await session.weigh();
    if (writtenAt < before && !(await isInUse(session, isAlive))) old.push(session);
  }
  return old;
}

async function isInUse(
  session: SessionStore,
  isAlive: CollectionOptions['isAlive'],
): Promise<boolean> {
  const shells = await listShells(session.folderPath('shells'));
  const states = await Promise.all(shells.map((shell) => stateOf(shell)));
  if (states.some(({ status }) => status === 'running')) return true;
  // A background Worker keeps the leases of sessions that have closed.
  const holder = (await session.currentLease())?.owner;
  if (holder === undefined || isBackgroundQueue(session.meta.taskQueue)) return false;
  return isAlive(holder);
}
