import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { isAlive } from '../recovery/presence';
import { sessionQueue } from '../temporal/task-queue';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import { sessionWorkflowId } from '../transcript/place';
import type { SessionMeta, SessionStore } from '../transcript/store';
import type { RunningWorker } from '../worker';
import { ensureBackgroundWorker } from './background';
import { CliError } from './cli-error';
import { runEndHooks } from './end-hooks';
import { LiveSession } from './live-session';
import type { SessionConnection } from './session-connection';
import type { Connected, SessionHost } from './session-host';
import type { SessionRequest } from './session-request';

/** Finds or makes the session of a command, sees to it that somebody serves it, and connects to it.
 *  A session on a queue of its own is served by this process unless a living one does; a background session by
 *  the background Worker, which is started if it does not run. */
export async function openSession(
  host: SessionHost,
  request: SessionRequest,
): Promise<SessionConnection> {
  const session = await findOrCreate(host, request);
  const wasServed = await isServed(session);
  // What takes longest begins first.
  if (!wasServed && isOnOwnQueue(host, session)) bootWorkflowThread();
  const connected = await host.connect();
  try {
    // Before anybody serves: what an unfinished query does from now on is seen.
    const from = request.choice.type === 'attach' ? null : await session.log.end();
    // Not waited for: the first message travels while the Worker starts.
    const worker = seeThatItIsServed({ host, connected, session, wasServed });
    return new LiveSession({
      session,
      connected,
      worker,
      from,
      isOneShot: request.isOneShot === true,
      onEnd: () => runEndHooks(host, session),
    });
  } catch (error) {
    await connected.close().catch(() => undefined);
    throw error;
  }
}

async function findOrCreate(host: SessionHost, request: SessionRequest): Promise<SessionStore> {
  const { choice } = request;
  switch (choice.type) {
    case 'attach':
    case 'resume': {
      const found = await host.store.openSession(choice.sessionId);
      if (found !== undefined) return found;
      throw new CliError(
        `No conversation found with session id ${choice.sessionId}. List them: everloop ls`,
      );
    }
    case 'continue':
      return (await newestOf(host, request.cwd)) ?? create(host, request, randomUUID());
    case 'new':
      return create(host, request, choice.sessionId ?? randomUUID());
  }
}

function create(
  host: SessionHost,
  request: SessionRequest,
  sessionId: string,
): Promise<SessionStore> {
  const { store, fingerprint } = host;
  const meta: SessionMeta = {
    sessionId,
    cwd: realpathSync(request.cwd),
    taskQueue:
      request.serve === 'background' ? host.backgroundQueue : sessionQueue(store.place, sessionId),
    createdAt: new Date().toISOString(),
    fingerprint,
    persistent: request.persistent,
  };
  return store.createSession(meta);
}

/** The session of the folder that was written to last. */
async function newestOf({ store }: SessionHost, folder: string): Promise<SessionStore | undefined> {
  const cwd = realpathSync(folder);
  const ofFolder = (await store.listSessions()).filter((meta) => meta.cwd === cwd);
  const newest = [...ofFolder].sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
  return newest === undefined ? undefined : store.openSession(newest.sessionId);
}

async function isServed(session: SessionStore): Promise<boolean> {
  const lease = await session.currentLease();
  return lease !== undefined && isAlive(lease.owner);
}

function isOnOwnQueue({ store }: SessionHost, { meta }: SessionStore): boolean {
  return meta.taskQueue === sessionQueue(store.place, meta.sessionId);
}

/** null: another process serves it. */
async function seeThatItIsServed({
  host,
  connected,
  session,
  wasServed,
}: {
  readonly host: SessionHost;
  readonly connected: Connected;
  readonly session: SessionStore;
  /** Before the connection was made. It may have ended since. */
  readonly wasServed: boolean;
}): Promise<RunningWorker | null> {
  const { meta } = session;
  const { store, config, settings, version, environment } = host;
  const { taskQueue } = meta;
  const stillServed = wasServed && (await isServed(session));
  if (!isOnOwnQueue(host, session)) {
    if (!stillServed) await ensureBackgroundWorker(host);
    return null;
  }
  if (stillServed) return null;
  const serves = sessionWorkflowId(store.place, meta.sessionId);
  const { isServedElsewhere, startWorker } = await import('../worker.js');
  try {
    const { connection, client } = connected;
    return await startWorker({
      connection,
      client,
      config,
      settings,
      version,
      store,
      environment,
      taskQueue,
      serves,
    });
  } catch (error) {
    // Somebody else was quicker: then the session is served.
    if (isServedElsewhere(error)) return null;
    throw error;
  }
}
