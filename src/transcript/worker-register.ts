import type { LeaseOwner } from './store';

/** The Workers of a store that several hosts share, by their own word. All times are of the store's clock: those of
 *  the hosts may differ. */
export interface WorkerRegister {
  /** The Worker says that it lives. One that has left is not heard of again. */
  tell(owner: LeaseOwner): Promise<void>;
  /** It leaves in order. */
  leave(owner: LeaseOwner): Promise<void>;
  /** undefined: it has left, or went so long ago that it was forgotten. */
  find(workerId: string): Promise<ToldWorker | undefined>;
  /** Forgets Workers that have said nothing for weeks. */
  forgetLongGone(): Promise<void>;
}

export interface ToldWorker {
  /** ms since it said so last. */
  readonly silentMs: number;
  /** Another one with every word of it. */
  readonly word: string;
}
