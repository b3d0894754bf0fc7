import type { Reply } from '../../scripted-model/reply';

/** What the model process is told. */
export interface Play {
  /** From now on the n-th request gets the n-th of these. Requests for a summary do not count: they get one. */
  readonly replies: readonly Reply[];
  /** true: each request is compared with the one before, which takes a look at all of its bytes. */
  readonly comparesPrefixes: boolean;
  /** false: usage says next to nothing, so that no client makes its conversation shorter. */
  readonly countsTokens: boolean;
}

/** What it tells: first `listening`, then `playing` for each script, `request` for each request answered, and
 *  `left` where its client has closed it before the end. */
export type ModelMessage =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'playing' }
  | ({ readonly type: 'request' } & Arrival)
  | ({ readonly type: 'left' } & Departure);

/** One request for a message. */
export interface Arrival {
  /** Counted from the last script on; of a request for a summary, the index of the request after it. */
  readonly index: number;
  readonly isSummary: boolean;
  /** A compaction lies between this request and the one before. */
  readonly followsSummary: boolean;
  /** Instants of the common clock: first byte, last byte, answer handed to the socket. */
  readonly beganAtMs: number;
  readonly arrivedAtMs: number;
  readonly answeredAtMs: number;
  readonly bodyBytes: number;
  /** null: nothing was compared. */
  readonly prefix: Prefix | null;
}

/** A client that did not wait for the end of its answer. */
export interface Departure {
  readonly index: number;
  /** Instant of the common clock. */
  readonly leftAtMs: number;
}

/** What a request has in common with the request before it, byte for byte. */
export interface Prefix {
  /** Its messages begin with all of the other's messages. */
  readonly keepsMessages: boolean;
  /** Model, tools and system prompt are the same. */
  readonly keepsStart: boolean;
}
