import type { AbortReason } from '../loop/terminal';
import type { Steering, ToolReady } from './interface';
import type { OpenQuestions } from './open-questions';
import type { Placement } from './placement';
import type { SubAgents } from './sub-agents';

/** What Signals bring to a running query. */
export interface QueryMail {
  /** Messages that came in meanwhile and were not taken yet. */
  queued: readonly Steering[];
  abortReason: AbortReason | null;
  /** Calls that wait for somebody's word. */
  readonly questions: OpenQuestions;
  readonly subAgents: SubAgents;
  readonly placement: Placement;
  /** A reply streams: its calls may need somebody's word before we hear of them. */
  isSampling: boolean;
  /** Calls of the reply that have no outcome yet and may turn out to need one. */
  readonly unfinished: Set<string>;
  /** Those of them that have their turn. */
  readonly running: Set<string>;
  /** An answer may be quicker than the news of its question. */
  readonly answeredEarly: Set<string>;
  /** Stops the query. */
  stop(by: AbortReason): void;
  /** Early calls that were signalled and not yet given to the loop. */
  ready: readonly ToolReady[];
  /** Wakes whoever waits for the next early call. */
  onReady: () => void;
}
