import type { Reply } from '../../scripted-model/reply';

/** What the model process is told. */
export interface Play {
  /** From now on the n-th request gets the n-th of these. */
  readonly replies: readonly Reply[];
}

/** What it tells: first `listening`, then `playing` for each script and `request` for each request answered. */
export type ModelMessage =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'playing' }
  | ({ readonly type: 'request' } & Arrival);

/** One request for a message. */
export interface Arrival {
  /** Counted from the last script on. */
  readonly index: number;
  /** Instants of the common clock: first byte, last byte, answer handed to the socket. */
  readonly beganAtMs: number;
  readonly arrivedAtMs: number;
  readonly answeredAtMs: number;
  readonly bodyBytes: number;
}
