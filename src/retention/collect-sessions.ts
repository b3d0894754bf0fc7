import type { Client } from '@temporalio/client';
import { listOpenSessions } from '../adoption/open-sessions';
import { isRunning } from '../temporal/is-running';
import { isBackgroundQueue } from '../temporal/task-queue';
import type { Collected, CollectedKind } from '../transcript/collection';
import { sessionWorkflowId } from '../transcript/place';
import type { LeaseOwner, SessionStore, TranscriptStore } from '../transcript/store';
import { StoreError } from '../transcript/store-error';

export interface CollectionOptions {
  readonly client: Client;
  readonly store: TranscriptStore;
  readonly kinds: readonly CollectedKind[];
  /** ISO instant: what is older goes. */
  readonly before: string;
  /** This process, which becomes the writer of each session for a moment; null: nothing is removed. */
  readonly owner: LeaseOwner | null;
  readonly isAlive: (owner: LeaseOwner) => Promise<boolean>;
}

/** What became of one session. `open`: its Workflow runs, so it was left alone. `held`: a living process has it. */
export type SessionCollection =
  | { readonly sessionId: string; readonly left: 'open' | 'held' }
  | {
      readonly sessionId: string;
      readonly left: null;
      readonly collected: Readonly<Record<CollectedKind, Collected>>;
    };

/** Collects from all sessions of a store that nothing runs for, one after the other. A message that comes meanwhile
 *  waits until its session is free again. Fails: StoreError; Error when the server cannot be asked. */
export async function* collectSessions(
  options: CollectionOptions,
): AsyncGenerator<SessionCollection, void> {
  const { client, store } = options;
  const open = await listOpenSessions(client, store.place);
  for (const { sessionId } of await store.listSessions()) {
    if (open.has(sessionId)) {
      yield { sessionId, left: 'open' };
      continue;
    }
    const session = await store.openSession(sessionId);
    if (session !== undefined) yield await collectOne(session, options);
  }
}

async function collectOne(
  session: SessionStore,
  options: CollectionOptions,
): Promise<SessionCollection> {
  const { owner, kinds, before } = options;
  const { sessionId } = session.meta;
  const collected = await session.collect({ lease: null, kinds, before });
  const isNothing = Object.values(collected).every(({ items }) => items === 0);
  if (owner === null || isNothing) return { sessionId, left: null, collected };
  try {
    const left = await collectAs(owner, session, options);
    return left === null ? { sessionId, left, collected } : { sessionId, left };
  } catch (error) {
    if (!isTaken(error)) throw error;
    return { sessionId, left: 'held' };
  }
}

/** null: it was collected. */
async function collectAs(
  owner: LeaseOwner,
  session: SessionStore,
  { client, store, kinds, before, isAlive }: CollectionOptions,
): Promise<'open' | null> {
  // A background Worker keeps the leases of sessions that have closed, and takes them again when there is work.
  const mayTake = isBackgroundQueue(session.meta.taskQueue);
  const lease = await session.acquireLease(owner, async (holder) => !mayTake && isAlive(holder));
  try {
    // From here on nobody else begins.
    const { sessionId } = session.meta;
    if (await isRunning(client, sessionWorkflowId(store.place, sessionId))) return 'open';
    await session.collect({ lease, kinds, before });
    return null;
  } finally {
    await session.releaseLease(lease);
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof StoreError && (error.code === 'lease_held' || error.code === 'lease_stale');
