import { plainRunOptions } from '../transcript/plain-run-options';
import { createFileStore } from '../transcript/files/file-store';
import type { InboxMessage } from '../transcript/message';
import { sessionWorkflowId } from '../transcript/place';
import type { SessionMeta, SessionStore, TranscriptStore } from '../transcript/store';

export const USER = '/user';
export const WORKSPACE = '/workspace';
const PROJECTS = `${USER}/.claude/projects`;
const SESSION = '00000000-0000-4000-8000-000000000000';

export const MODEL = 'claude-opus-4-5';
export const SESSION_WORKFLOW = sessionWorkflowId(PROJECTS, SESSION);

export const META: SessionMeta = {
  sessionId: SESSION,
  cwd: WORKSPACE,
  taskQueue: 'simulated',
  createdAt: '2026-01-01T00:00:00.000Z',
  fingerprint: { baseUrl: 'http://127.0.0.1', credentials: 'none' },
  persistent: true,
};

/** The store as the process sees it whose code runs: each has its own. */
export function openStore(): TranscriptStore {
  return createFileStore({ home: `${USER}/.everloop`, projectsFolder: PROJECTS });
}

/** Fails: Error when the session is not there. */
export async function openSession(): Promise<SessionStore> {
  const session = await openStore().openSession(SESSION);
  if (session === undefined) throw new Error('The session that was created is not there.');
  return session;
}

export function toMessage(id: string): InboxMessage {
  return {
    id,
    content: `This is ${id}.`,
    submittedAt: '2026-01-01T00:00:00.000Z',
    options: plainRunOptions(MODEL, 'bypassPermissions'),
  };
}
