import { ApplicationFailure } from '@temporalio/common';
import { sessionIdOf, sessionWorkflowIdOf } from '../loop/workflow-id';
import type { Lease, LeaseOwner, SessionStore, TranscriptStore } from '../transcript/store';
import type { Catalog } from '../mcp/catalog';
import type { AutoModeTally } from '../permissions/auto-mode';
import type { PermissionGrants } from '../transcript/permission';
import { StoreError } from '../transcript/store-error';
import type { TranscriptRecord } from '../transcript/record';
import type { ConversationStart } from './deps';
import type { EarlyCheck } from './run-tool/early-check';

/** A session that this process serves: its store, and the lease that makes us its one writer. */
export interface ServedSession {
  readonly store: SessionStore;
  readonly lease: Lease;
  /** Reply blocks that are finished and not committed yet, by uuid: early calls find their input here. */
  readonly uncommitted: Map<string, TranscriptRecord>;
  /** What was learnt about calls as their blocks arrived, by the record of the block (spec/loop 24b). */
  readonly checked: Map<string, Promise<EarlyCheck>>;
  /** What people granted while the session ran; undefined: not read yet. */
  grants?: PermissionGrants | undefined;
  /** How mode `auto` has fared; undefined: not read yet. */
  autoMode?: AutoModeTally | undefined;
  /** The API takes no tools of its own here: a gateway, or an account without them. */
  refusesServerTools?: true;
  /** What the session's MCP servers offer; undefined: not read yet. */
  catalog?: Catalog | undefined;
  /** Id of the message for which they were asked last. */
  listedFor?: string;
  /** Beginnings of conversations that were read or made already, by document name. */
  readonly starts: Map<string, ConversationStart>;
}

/** Opens each session once per process and holds its lease until the process leaves or another takes it over. */
export interface ServedSessions {
  /** Fails: `Session.Unknown` (final), `Session.ServedElsewhere`, `Session.OnAnotherHost` (retryable; details: the
   *  Task Queue of the host that serves it). */
  serve(workflowId: string): Promise<ServedSession>;
  /** Gives a session up; a query's id names its session. */
  release(workflowId: string): Promise<void>;
  releaseAll(): Promise<void>;
  /** Told the id of each session that is given up; waited for. */
  onRelease(listener: (sessionId: string) => Promise<void>): void;
}

const SERVED_ELSEWHERE_RETRY = '1s';

export function createServedSessions(options: {
  readonly store: TranscriptStore;
  readonly owner: LeaseOwner;
  isAlive(owner: LeaseOwner): Promise<boolean>;
  /** Task Queue of the one that serves a session, where its work can be taken to; null: there is none. */
  readonly queueOf?: ((holder: LeaseOwner) => Promise<string | null>) | undefined;
  /** Called when a session cannot be served because another process does. */
  onServedElsewhere?(sessionWorkflowId: string): void;
}): ServedSessions {
  const served = new Map<string, Promise<ServedSession>>();
  const listeners: ((sessionId: string) => Promise<void>)[] = [];

  const open = async (sessionId: string): Promise<ServedSession> => {
    const store = await options.store.openSession(sessionId);
    if (store === undefined) {
      throw ApplicationFailure.nonRetryable(
        `Session ${sessionId} is not in the store at ${options.store.place}. Start the Worker with the same CLAUDE_CONFIG_DIR and EVERLOOP_HOME as the client.`,
        'Session.Unknown',
      );
    }
    const lease = await store.acquireLease(options.owner, (owner) => options.isAlive(owner));
    return { store, lease, uncommitted: new Map(), checked: new Map(), starts: new Map() };
  };

  const servingQueue = async (sessionId: string): Promise<string | null> => {
    if (options.queueOf === undefined) return null;
    const store = await options.store.openSession(sessionId);
    const lease = await store?.currentLease();
    return lease === undefined ? null : options.queueOf(lease.owner);
  };

  const elsewhere = async (sessionId: string, cause: StoreError): Promise<ApplicationFailure> => {
    const queue = await servingQueue(sessionId);
    return ApplicationFailure.create({
      type: queue === null ? 'Session.ServedElsewhere' : 'Session.OnAnotherHost',
      message: `Session ${sessionId} is served by another process that is alive: ${cause.message}`,
      nextRetryDelay: SERVED_ELSEWHERE_RETRY,
      cause,
      ...(queue !== null && { details: [queue] }),
    });
  };

  return {
    async serve(workflowId) {
      const sessionId = sessionIdOf(workflowId);
      const known = served.get(sessionId);
      if (known !== undefined && (await isServed(known))) return known;
      // Opened by somebody else meanwhile?
      const newest = served.get(sessionId);
      const opening = newest === undefined || newest === known ? open(sessionId) : newest;
      served.set(sessionId, opening);
      try {
        return await opening;
      } catch (error) {
        if (served.get(sessionId) === opening) served.delete(sessionId);
        if (!(error instanceof StoreError) || error.code !== 'lease_held') throw error;
        options.onServedElsewhere?.(sessionWorkflowIdOf(workflowId));
        throw await elsewhere(sessionId, error);
      }
    },

    async release(workflowId) {
      const sessionId = sessionIdOf(workflowId);
      const opening = served.get(sessionId);
      served.delete(sessionId);
      await giveUp(opening);
      for (const tell of listeners) await tell(sessionId);
    },

    async releaseAll() {
      const all = [...served];
      served.clear();
      for (const [sessionId, opening] of all) {
        await giveUp(opening);
        for (const tell of listeners) await tell(sessionId);
      }
    },

    onRelease: (listener) => void listeners.push(listener),
  };
}

async function giveUp(opening: Promise<ServedSession> | undefined): Promise<void> {
  const session = await opening?.catch(() => undefined);
  await session?.store.releaseLease(session.lease).catch(() => undefined);
}

/** A process that was stopped for a while has lost its sessions to another one and does not know. */
async function isServed(opening: Promise<ServedSession>): Promise<boolean> {
  const session = await opening.catch(() => undefined);
  const current = await session?.store.currentLease();
  return current !== undefined && current.epoch === session?.lease.epoch;
}
