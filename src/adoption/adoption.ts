import type { Client } from '@temporalio/client';
import { sessionQueue } from '../temporal/task-queue';
import { sessionWorkflowId } from '../transcript/place';
import type { LeaseOwner, SessionMeta, SessionStore, TranscriptStore } from '../transcript/store';
import { isServedElsewhere, type RunningWorker } from '../worker';
import type { QueueWorker } from '../queue-worker';
import { needOf, type Candidate } from './need';
import { listOpenSessions } from './open-sessions';

export interface AdoptionDeps {
  readonly client: Client;
  readonly store: TranscriptStore;
  readonly candidate: Candidate;
  readonly worker: Pick<
    RunningWorker,
    'owner' | 'poll' | 'serve' | 'release' | 'isDrained' | 'runs'
  >;
  readonly isAlive: (owner: LeaseOwner) => Promise<boolean>;
  /** Whether somebody lives who answers for the sessions of a Task Queue that many sessions share. */
  readonly isAnswered: (taskQueue: string) => Promise<boolean>;
  /** A session that was served here has closed. */
  readonly onClosed: (session: SessionStore) => Promise<void>;
  /** For the Worker's log. */
  readonly warn: (text: string) => void;
}

/** What is done for a session that nobody else serves. `answers`: its Workflows run, so that Updates, queries and
 *  Signals are answered. `serves`: its Activities run as well. */
type Care = 'answers' | 'serves';

interface Adopted {
  readonly session: SessionStore;
  readonly care: Care;
  readonly queue: QueueWorker;
  /** It was served here at some time. */
  readonly hasServed: boolean;
  /** No query ran when it was looked at last. */
  isIdle: boolean;
}

/** The net under the events: a session whose process died before it was known, one that closed. */
const LOOK_MS = 5_000;
/** Each takes 5 MB and two threads (measured with 100): a Worker of the SDK. The thread that runs their Workflows is
 *  one for all. */
const MOST_SESSIONS = 100;

/** Sees to the sessions of a home that have a Task Queue of their own and whose process is gone: serves them if this
 *  process may, else keeps them answering. The lease decides who serves; one who does it elsewhere is left alone. */
export class Adoption {
  readonly #deps: AdoptionDeps;
  readonly #adopted = new Map<string, Adopted>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: AdoptionDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Looks at all open sessions, now or as soon as the look that runs is over. Never fails. */
  look(): Promise<void> {
    this.#next ??= this.#looking = this.#looking.then(async () => {
      this.#next = null;
      if (this.#isStopped) return;
      await this.#look().catch((error: unknown) => {
        this.#deps.warn(`Sessions could not be looked at: ${String(error)}`);
      });
    });
    return this.#next;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#adopted.keys()].map((sessionId) => this.#leave(sessionId)));
  }

  async #look(): Promise<void> {
    const { client, store, warn } = this.#deps;
    const open = await listOpenSessions(client, store.place);
    const closed = [...this.#adopted.keys()].filter((sessionId) => !open.has(sessionId));
    const cared = [...open].map(async ([sessionId, promptIds]) => {
      await this.#seeTo(sessionId, promptIds).catch((error: unknown) => {
        warn(`Session ${sessionId} could not be taken care of: ${String(error)}`);
      });
    });
    await Promise.all([...cared, ...closed.map((sessionId) => this.#end(sessionId))]);
  }

  async #seeTo(sessionId: string, promptIds: readonly string[]): Promise<void> {
    const { store } = this.#deps;
    const session = await store.openSession(sessionId);
    if (session === undefined) return;
    if ((await this.#isAnswered(session)) || (await this.#isServedElsewhere(session))) {
      await this.#leave(sessionId);
      return;
    }
    const known = this.#adopted.get(sessionId);
    const wanted = await this.#careFor(session, promptIds, known);
    if (known !== undefined) known.isIdle = promptIds.length === 0;
    if (wanted === known?.care) return;
    await this.#take(session, wanted, known);
  }

  async #isAnswered({ meta }: SessionStore): Promise<boolean> {
    return !this.#isOnOwnQueue(meta) && this.#deps.isAnswered(meta.taskQueue);
  }

  #isOnOwnQueue({ sessionId, taskQueue }: SessionMeta): boolean {
    return taskQueue === sessionQueue(this.#deps.store.place, sessionId);
  }

  async #isServedElsewhere(session: SessionStore): Promise<boolean> {
    const { worker, isAlive } = this.#deps;
    const owner = (await session.currentLease())?.owner;
    return owner !== undefined && owner.workerId !== worker.owner.workerId && isAlive(owner);
  }

  /** A session with nothing to do is free for the client that comes back to it. Between two queries it looks so. */
  async #careFor(
    session: SessionStore,
    promptIds: readonly string[],
    known: Adopted | undefined,
  ): Promise<Care> {
    const { worker, candidate } = this.#deps;
    if (!this.#isOnOwnQueue(session.meta)) return 'answers';
    // What runs here is finished here; another host may serve the session then.
    if (worker.isDrained)
      return known?.care === 'serves' && worker.runs(session.meta.sessionId) ? 'serves' : 'answers';
    if (promptIds.length === 0)
      return known?.care === 'serves' && !known.isIdle ? 'serves' : 'answers';
    const need = await needOf(session, promptIds, candidate);
    return need === null ? 'serves' : 'answers';
  }

  async #take(session: SessionStore, care: Care, known: Adopted | undefined): Promise<void> {
    const { worker, store, warn } = this.#deps;
    const { sessionId } = session.meta;
    if (known === undefined && this.#adopted.size >= MOST_SESSIONS) {
      warn(
        `Session ${sessionId} waits: this Worker takes care of ${MOST_SESSIONS} others already.`,
      );
      return;
    }
    // First: the SDK refuses a second Worker of one process on the same queue.
    await this.#leave(sessionId);
    const workflowId = sessionWorkflowId(store.place, sessionId);
    if (care === 'serves') {
      try {
        await worker.serve(workflowId);
      } catch (error) {
        if (isServedElsewhere(error)) return;
        throw error;
      }
    }
    const adopted: Adopted = {
      session,
      care,
      queue: await this.#poll(session, care),
      hasServed: care === 'serves' || (known?.hasServed ?? false),
      isIdle: false,
    };
    this.#adopted.set(sessionId, adopted);
    adopted.queue.finished.catch((error: unknown) => {
      warn(`Session ${sessionId} is not taken care of any more: ${String(error)}`);
      if (this.#adopted.get(sessionId) === adopted) void this.#leave(sessionId);
    });
  }

  /** A lease without a Worker would keep the session from everybody else. */
  async #poll({ meta }: SessionStore, care: Care): Promise<QueueWorker> {
    const { worker, store } = this.#deps;
    const { sessionId, taskQueue } = meta;
    try {
      return await worker.poll({ taskQueue, hasActivities: care === 'serves' });
    } catch (error) {
      await worker.release(sessionWorkflowId(store.place, sessionId));
      throw error;
    }
  }

  async #leave(sessionId: string): Promise<void> {
    const adopted = this.#adopted.get(sessionId);
    if (adopted === undefined) return;
    this.#adopted.delete(sessionId);
    const { worker, store } = this.#deps;
    await adopted.queue.stop().catch(() => undefined);
    if (adopted.care === 'serves') await worker.release(sessionWorkflowId(store.place, sessionId));
  }

  async #end(sessionId: string): Promise<void> {
    const adopted = this.#adopted.get(sessionId);
    await this.#leave(sessionId);
    if (adopted?.hasServed === true) await this.#deps.onClosed(adopted.session);
  }
}
