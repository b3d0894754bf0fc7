import type { AbortReason } from '../loop/terminal';
import type { Steering, ToolReady } from './interface';

/** What Signals bring to a running query. */
export interface QueryMail {
  /** Messages that came in meanwhile and were not taken yet. */
  queued: readonly Steering[];
  abortReason: AbortReason | null;
  /** Early calls that were signalled and not yet given to the loop. */
  ready: readonly ToolReady[];
  /** Wakes whoever waits for the next early call. */
  onReady: () => void;
}
