import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { sessionQueue } from '../temporal/task-queue';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import { forkInto } from '../transcript/fork';
import { currentLeaf } from '../transcript/rewound';
import type { SessionMeta, SessionStore } from '../transcript/store';
import { CliError } from './cli-error';
import type { SessionChoice } from './command';
import { runEndHooks } from './end-hooks';
import { LiveSession } from './live-session';
import { findResumePoint } from './resume-point';
import type { SessionConnection } from './session-connection';
import { isOnOwnQueue, isServed, seeThatItIsServed } from './serve-session';
import type { Connected, SessionHost } from './session-host';
import { readPast, type SessionPast } from './session-past';
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
  const { session, behind } = await findOrCreate(host, request);
  const wasServed = await isServed(host, session);
  // What takes longest begins first.
  if (!wasServed && isOnOwnQueue(host, session)) bootWorkflowThread();
  const connected = await host.connect();
  try {
    // Before anybody serves: what an unfinished query does from now on is seen.
    const past = isObserver ? null : await pastOf(session, connected);
    const from = isObserver ? null : (past?.cursor ?? (await session.log.end()));
    // Not waited for: the first message travels while the Worker starts.
    const leaving = new AbortController();
    const serving = { host, connected, session, request, wasServed, leaving: leaving.signal };
    const worker = seeThatItIsServed(serving);
    return new LiveSession({
      session,
      place: host.store.place,
      tell: host.tell,
      isServed: () => isServed(host, session),
      async findTrouble(workflowIds) {
        const { findHold, findTrouble } = await import('../client/session-trouble.js');
        const { client, agent } = connected;
        const trouble = await findTrouble(client, workflowIds);
        return trouble ?? findHold(client, agent, session.meta.sessionId);
      },
      connected,
      worker,
      from,
      unfinished: past?.unfinished ?? null,
      behind,
      isOneShot: request.isOneShot === true,
      onEnd: () => end(host, session),
      leave: () => leaving.abort(),
    });
  } catch (error) {
    await connected.close().catch(() => undefined);
    throw error;
  }
}

/** null: the session does not run, so nothing of it is unfinished. */
async function pastOf(session: SessionStore, { agent }: Connected): Promise<SessionPast | null> {
  if (!(await agent.isRunning(session.meta.sessionId))) return null;
  const { cursor, unfinished } = await readPast(session.log);
  // One that was terminated told nobody.
  const running = await Promise.all(unfinished.map(({ queryId }) => agent.isQueryRunning(queryId)));
  return { cursor, unfinished: unfinished.filter((_query, index) => running[index] === true) };
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

interface Opened {
  readonly session: SessionStore;
  /** The record that the first message goes behind; null: the session's end. */
  readonly behind: string | null;
}

async function findOrCreate(host: SessionHost, request: SessionRequest): Promise<Opened> {
  const { choice, cwd } = request;
  const atEnd = (session: SessionStore): Opened => ({ session, behind: null });
  switch (choice.type) {
    case 'attach':
      return atEnd(await find(host, choice.sessionId));
    case 'resume': {
      const session = await find(host, choice.sessionId);
      const { point } = choice;
      return { session, behind: point ? await findResumePoint(session, point) : null };
    }
    case 'continue':
      return atEnd((await host.store.newestSession(realpathSync(cwd))) ?? (await createNew()));
    case 'new':
      return atEnd(await createNew(choice.sessionId));
    case 'fork':
      return atEnd(await fork(host, request, choice));
  }

  function createNew(sessionId: string | null = null): Promise<SessionStore> {
    return create(host, request, { sessionId, cwd: realpathSync(cwd) });
  }
}

export async function find({ store }: SessionHost, sessionId: string): Promise<SessionStore> {
  const found = await store.openSession(sessionId);
  if (found !== undefined) return found;
  throw new CliError(`No conversation found with session id ${sessionId}. List them: everloop ls`);
}

/** A session of its own in the folder of the other. Where there is none to begin with, it is just new. */
async function fork(
  host: SessionHost,
  request: SessionRequest,
  { of, sessionId, point }: Extract<SessionChoice, { type: 'fork' }>,
): Promise<SessionStore> {
  const folder = realpathSync(request.cwd);
  const source = of === null ? await host.store.newestSession(folder) : await find(host, of);
  if (source === undefined) return create(host, request, { sessionId, cwd: folder });
  const leaf = point ? await findResumePoint(source, point) : await currentLeaf(source);
  const target = await create(host, request, { sessionId, cwd: source.meta.cwd });
  await forkInto(target, source, leaf);
  return target;
}

/** A new session, on the queue of whoever is to serve it. */
export function create(
  host: SessionHost,
  request: Pick<SessionRequest, 'serve' | 'persistent'>,
  of: { readonly sessionId: string | null; readonly cwd: string },
): Promise<SessionStore> {
  const { store, fingerprint } = host;
  const sessionId = of.sessionId ?? randomUUID();
  const meta: SessionMeta = {
    sessionId,
    cwd: of.cwd,
    taskQueue:
      request.serve === 'background' ? host.backgroundQueue : sessionQueue(store.place, sessionId),
    createdAt: new Date().toISOString(),
    fingerprint,
    persistent: request.persistent,
    ...(store.workers && { workspace: host.config.workspace }),
  };
  return store.createSession(meta);
}
