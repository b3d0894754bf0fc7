import type { LeaseOwner } from './store';

/** The Workers of a store that several hosts share, by their own word, and the workspaces that they serve. All times
 *  are of the store's clock: those of the hosts may differ. */
export interface WorkerRegister {
  /** The Worker says that it lives. One that has left is not heard of again. Returns the ids of its sessions that
   *  another Worker has just asked for. */
  tell(worker: RegisteredWorker): Promise<readonly string[]>;
  /** It leaves in order. */
  leave(owner: LeaseOwner): Promise<void>;
  /** undefined: it has left, or went so long ago that it was forgotten. */
  find(workerId: string): Promise<ToldWorker | undefined>;
  /** Forgets Workers that have said nothing for weeks. */
  forgetLongGone(): Promise<void>;
  /** Those that serve workspaces, or did. */
  list(): Promise<readonly ListedWorker[]>;
  /** What is begun from now on runs there. */
  moveSession(sessionId: string, workspace: string): Promise<void>;
}

export interface RegisteredWorker {
  readonly owner: LeaseOwner;
  /** Whose background sessions it serves, and on which Task Queue; null: those of none. */
  readonly workspace: ServedWorkspace | null;
}

export interface ServedWorkspace {
  readonly name: string;
  readonly taskQueue: string;
}

export interface ToldWorker {
  /** ms since it said so last. */
  readonly silentMs: number;
  /** Another one with every word of it. */
  readonly word: string;
}

export interface ListedWorker {
  readonly workerId: string;
  readonly host: string;
  readonly workspace: ServedWorkspace;
  /** ms since it spoke last. */
  readonly silentMs: number;
  /** ISO instants. */
  readonly beganAt: string;
  readonly seenAt: string;
  /** It left in order. */
  readonly hasLeft: boolean;
}
