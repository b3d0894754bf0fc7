import { createHash } from 'node:crypto';
import type { Fingerprint } from '../transcript/store';
import type { ServedWorkspace } from '../transcript/worker-register';

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12);

/** Queue of a session that is served by the command that started it. Short: it stands in many events. */
export function sessionQueue(place: string, sessionId: string): string {
  return `everloop-${digest(place, sessionId)}`;
}

/** Queue of background sessions, per base URL and kind of credentials: a session may only be served by a process that
 *  would send its requests to the same place. `of`: the home folder; the store, where several homes share it. */
export function backgroundQueue(of: string, { baseUrl, credentials }: Fingerprint): string {
  return `${BACKGROUND}${digest(of, baseUrl, credentials)}`;
}

/** Queue of the Activities of background sessions whose files are in the workspace. `place`: of the store. */
export function workspaceQueue(
  place: string,
  { baseUrl, credentials }: Fingerprint,
  workspace: string,
): string {
  return `everloop-ws-${digest(place, baseUrl, credentials, workspace)}`;
}

/** Queue of the Activities that one of the hosts of a workspace is to run, because it serves their session. */
export const hostQueue = (workspace: ServedWorkspace, host: string): string =>
  `${workspace.taskQueue}-${digest(host)}`;

export const isBackgroundQueue = (taskQueue: string): boolean => taskQueue.startsWith(BACKGROUND);

const BACKGROUND = 'everloop-bg-';
