import type { LeaseOwner } from './store';

/** The Workers of a store that several hosts share, by their own word, and the workspaces that they serve. All times
 *  are of the store's clock: those of the hosts may differ. */
export interface WorkerRegister {
  /** The Worker says that it lives, and how much it has to do; absent: nothing. One that has left is not heard of
   *  again. Returns what others want of it. */
  tell(worker: RegisteredWorker, load?: WorkerLoad): Promise<WorkerOrders>;
  /** It leaves in order. */
  leave(owner: LeaseOwner): Promise<void>;
  /** undefined: it has left, or went so long ago that it was forgotten. */
  find(workerId: string): Promise<ToldWorker | undefined>;
  /** Forgets Workers that have said nothing for weeks. */
  forgetLongGone(): Promise<void>;
  /** Those that serve workspaces, or did. */
  list(): Promise<readonly ListedWorker[]>;
  /** What is begun from now on runs there. `from`: the workspace that it is known to have. Returns the one that it
   *  has now: another one than `to`, if somebody else was quicker. */
  moveSession(sessionId: string, move: SessionMove): Promise<string>;
  readonly drains: HostDrains;
}

/** Hosts that take nothing new, until somebody ends that: whether a Worker of theirs lives or not. */
export interface HostDrains {
  begin(host: string): Promise<void>;
  /** false: it was not drained. */
  end(host: string): Promise<boolean>;
  list(): Promise<readonly HostDrain[]>;
}

export interface HostDrain {
  readonly host: string;
  /** ISO instant. */
  readonly since: string;
}

export interface SessionMove {
  /** null: whichever it has. */
  readonly from: string | null;
  readonly to: string;
}

export interface WorkerLoad {
  /** Attempts that it runs. */
  readonly running: number;
  /** It takes nothing new, because its host is drained. */
  readonly isDrained: boolean;
}

export interface WorkerOrders {
  /** Ids of its sessions that another Worker has just asked for. */
  readonly wanted: readonly string[];
  /** Its host is to take nothing new. */
  readonly isDrained: boolean;
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

export interface ListedWorker extends WorkerLoad {
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
