import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { sessionQueue } from '../temporal/task-queue';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import type { SessionMeta, SessionStore } from '../transcript/store';
import { CliError } from './cli-error';
import { runEndHooks } from './end-hooks';
import { LiveSession } from './live-session';
import type { SessionConnection } from './session-connection';
import { isOnOwnQueue, isServed, seeThatItIsServed } from './serve-session';
import type { SessionHost } from './session-host';
import type { SessionRequest } from './session-request';

/** Finds or makes the session of a command, sees to it that somebody serves it, and connects to it.
 *  A session on a queue of its own is served by this process unless a living one does; a background session by
 *  the background Worker, which is started if it does not run. */
export async function openSession(
  host: SessionHost,
  request: SessionRequest,
): Promise<SessionConnection> {
  const isObserver = request.choice.type === 'attach';
  if (!isObserver) await host.ownCode?.of(request.cwd);
  const session = await findOrCreate(host, request);
  const wasServed = await isServed(session);
  // What takes longest begins first.
  if (!wasServed && isOnOwnQueue(host, session)) bootWorkflowThread();
  const connected = await host.connect();
  try {
    // Before anybody serves: what an unfinished query does from now on is seen.
    const from = request.choice.type === 'attach' ? null : await session.log.end();
    // Not waited for: the first message travels while the Worker starts.
    const leaving = new AbortController();
    const serving = { host, connected, session, request, wasServed, leaving: leaving.signal };
    const worker = seeThatItIsServed(serving);
    return new LiveSession({
      session,
      place: host.store.place,
      tell: host.tell,
      async findTrouble(workflowIds) {
        const { findTrouble } = await import('../client/session-trouble.js');
        return findTrouble(connected.client, workflowIds);
      },
      connected,
      worker,
      from,
      isOneShot: request.isOneShot === true,
      onEnd: () => end(host, session),
      leave: () => leaving.abort(),
    });
  } catch (error) {
    await connected.close().catch(() => undefined);
    throw error;
  }
}

/** This process has served the session to its end. Background shells end with it, as a shell's jobs do when a
 *  terminal closes: nobody is left who could look at them or end them, and a script that runs `-p` would leave a
 *  server behind each time. Those of a session that runs detached stay until `everloop stop`. */
async function end(host: SessionHost, session: SessionStore): Promise<void> {
  const shellsFolder = session.folderPath('shells');
  if (existsSync(shellsFolder)) {
    const { endShells } = await import('../tools/shell/background-shell.js');
    await endShells(shellsFolder);
  }
  await runEndHooks(host, session);
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
