import { setTimeout as pause } from 'node:timers/promises';
import { needOf } from '../adoption/need';
import { sessionQueue } from '../temporal/task-queue';
import { sessionWorkflowId } from '../transcript/place';
import type { SessionStore } from '../transcript/store';
import type { RunningWorker, WorkerOptions } from '../worker';
import { ensureBackgroundWorker } from './background';
import type { Connected, SessionHost } from './session-host';
import type { SessionRequest } from './session-request';

/** A command and the session that somebody must serve for it. */
export interface Serving {
  readonly host: SessionHost;
  readonly connected: Connected;
  readonly session: SessionStore;
  readonly request: SessionRequest;
  /** Before the connection was made. It may have ended since. */
  readonly wasServed: boolean;
  /** The command does not need the session any more. */
  readonly leaving: AbortSignal;
}

/** How often a command that talks to a session looks whether it is left to it. */
const LOOK_MS = 500;

/** The Worker of this process, if it is this process that serves the session. A command that talks to the session
 *  waits for it while another one serves; null: another process serves it, or the command left. */
export async function seeThatItIsServed(serving: Serving): Promise<RunningWorker | null> {
  const { host, session, request, wasServed } = serving;
  const stillServed = wasServed && (await isServed(host, session));
  if (!isOnOwnQueue(host, session)) {
    if (!stillServed) await ensureBackgroundWorker(host);
    return null;
  }
  if (request.choice.type === 'attach') return stillServed ? null : serveForObserver(serving);
  const worker = stillServed ? null : await tryToServe(serving);
  return worker ?? serveWhenFree(serving);
}

export async function isServed(
  { isAlive }: Pick<SessionHost, 'isAlive'>,
  session: SessionStore,
): Promise<boolean> {
  const lease = await session.currentLease();
  return lease !== undefined && isAlive(lease.owner);
}

export function isOnOwnQueue({ store }: SessionHost, { meta }: SessionStore): boolean {
  return meta.taskQueue === sessionQueue(store.place, meta.sessionId);
}

/** Who only looks at a session, or stops it, may not be fit to serve it: then it answers, and its Activities wait. */
async function serveForObserver(serving: Serving): Promise<RunningWorker | null> {
  const { host, session } = serving;
  const need = await needOf(session, [], {
    fingerprint: host.fingerprint,
    hostParts: [],
    workspace: host.config.workspace,
  });
  if (need === null) return tryToServe(serving);
  host.tell(`Session ${session.meta.sessionId} cannot go on here. It needs ${need}.`);
  return startWorker(serving, { hasActivities: false });
}

async function serveWhenFree(serving: Serving): Promise<RunningWorker | null> {
  const { host, leaving, session } = serving;
  for (;;) {
    await pause(LOOK_MS, undefined, { signal: leaving, ref: false }).catch(() => undefined);
    if (leaving.aborted) return null;
    const worker = (await isServed(host, session)) ? null : await tryToServe(serving);
    if (worker !== null) return worker;
  }
}

/** null: somebody else was quicker, so the session is served. */
async function tryToServe(serving: Serving): Promise<RunningWorker | null> {
  const { host, session } = serving;
  const serves = sessionWorkflowId(host.store.place, session.meta.sessionId);
  try {
    const worker = await startWorker(serving, { serves });
    await bringHere(host, session);
    return worker;
  } catch (error) {
    const { isServedElsewhere } = await import('../worker.js');
    if (isServedElsewhere(error)) return null;
    throw error;
  }
}

/** Who takes a session up here goes on with the files that are here. */
async function bringHere({ store, config }: SessionHost, { meta }: SessionStore): Promise<void> {
  const { sessionId, workspace } = meta;
  if (workspace === undefined || workspace === config.workspace) return;
  await store.workers?.moveSession(sessionId, { from: null, to: config.workspace });
}

async function startWorker(
  { host, connected, session }: Serving,
  of: Pick<WorkerOptions, 'serves' | 'hasActivities'>,
): Promise<RunningWorker> {
  const { connection, client } = connected;
  const { store, config, settings, version, environment, ownCode } = host;
  const worker = await import('../worker.js');
  return worker.startWorker({
    connection,
    client,
    config,
    settings,
    version,
    store,
    environment,
    taskQueue: session.meta.taskQueue,
    ...(ownCode && { ownCode }),
    ...of,
  });
}
