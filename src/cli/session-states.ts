import { hostPartsOf } from '../activity-surroundings';
import { listOpenSessions } from '../adoption/open-sessions';
import { needOf } from '../adoption/need';
import type { SessionMeta } from '../transcript/store';
import type { ListedSession } from './list';
import { isOnOwnQueue, isServed } from './serve-session';
import type { Connected, SessionHost } from './session-host';

/** Every session of the store with what it does now, as the server knows it, and those of other programs
 *  (`recorded`), which can be resumed. */
export async function listSessions(host: SessionHost): Promise<readonly ListedSession[]> {
  const metas = await host.store.listSessions();
  const recorded = await host.store.listRecorded();
  const connected = await host.connect();
  try {
    const open = await listOpenSessions(connected.client, host.store.place).catch(
      () => new Map<string, readonly string[]>(),
    );
    const own = await Promise.all(
      metas.map(async (meta) => {
        const { sessionId, cwd, createdAt } = meta;
        const state = await stateOf(connected, sessionId);
        const running = open.get(sessionId) ?? [];
        const needs = state === 'open' ? await needsOf(host, meta, running) : null;
        return { sessionId, cwd, createdAt, state, needs };
      }),
    );
    return [...own, ...recorded.map(toRecorded)];
  } finally {
    await connected.close();
  }
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
  if (!isOnOwnQueue(host, session) || (await isServed(session))) return null;
  const candidate = { fingerprint: host.fingerprint, hostParts: hostPartsOf(host.settings) };
  const need = await needOf(session, promptIds, candidate);
  return need ?? `somebody who serves it: everloop attach ${sessionId}, or everloop worker`;
}
