import type { Lease, SessionStore, TranscriptStore } from '../../../src/transcript/store';

/** One place in which several processes may open a store. */
export interface StorePlace {
  /** A new instance, as another process would have it. */
  open(): Promise<TranscriptStore>;
  /** A working folder; exists. */
  readonly cwd: string;
  /** Closes every instance and removes the place. */
  dispose(): Promise<void>;
}

/** What each test of the contract begins with: a new session, and its lease. */
export interface Given {
  readonly place: StorePlace;
  readonly store: TranscriptStore;
  readonly session: SessionStore;
  /** Held by Worker `first`. */
  readonly lease: Lease;
  /** Ends followers when the test is over. */
  readonly abort: AbortController;
  /** The same session, as another process sees it. */
  readonly elsewhere: () => Promise<SessionStore>;
}
