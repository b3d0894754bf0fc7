import { createHash } from 'node:crypto';

/** Short name of a store: the first 8 hex digits of the SHA-256 of its place. */
export function storeHash(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 8);
}

/** Id of the session's Workflow. The store is part of it: one session id in two stores is two Workflows. */
export function sessionWorkflowId(place: string, sessionId: string): string {
  return `${storeHash(place)}-${sessionId}`;
}
