import type { ListedSession } from './list';
import type { Connected, SessionHost } from './session-host';

/** Every session of the store with what it does now, as the server knows it. */
export async function listSessions(host: SessionHost): Promise<readonly ListedSession[]> {
  const metas = await host.store.listSessions();
  const connected = await host.connect();
  try {
    return await Promise.all(
      metas.map(async ({ sessionId, cwd, createdAt }) => ({
        sessionId,
        cwd,
        createdAt,
        state: await stateOf(connected, sessionId),
      })),
    );
  } finally {
    await connected.close();
  }
}

async function stateOf({ agent }: Connected, sessionId: string): Promise<string | null> {
  try {
    return (await agent.isRunning(sessionId)) ? 'open' : 'ended';
  } catch {
    return null;
  }
}
