import type { WithheldError } from './outcomes';
import type { ToolUseContext } from './state';

/** Where hooks hear that a query is about to end (spec/loop 6.4, 6.5). */
export interface StopPosition {
  /** `stop_failure`: it ends with an error; hooks may look, not interfere. */
  readonly event: 'stop' | 'stop_failure';
  readonly leaf: string;
  readonly toolUseContext: ToolUseContext;
  /** A Stop hook blocked before, and nothing but its feedback was worked on since. */
  readonly stopHookActive: boolean;
  /** `stop_failure`: the error that the query ends with, if no message tells of it yet. */
  readonly error?: WithheldError;
  /** false: so many blocks were heard that one more is told to people only (spec/loop 6.6). */
  readonly mayBlock: boolean;
}

/** `blocked`: the feedback is chained; the query goes on behind `leaf`. `prevented`: a hook wants the end at once. */
export type StopVerdict =
  | { readonly type: 'passed' }
  | { readonly type: 'blocked'; readonly leaf: string }
  | { readonly type: 'prevented'; readonly leaf: string };

/** So many blocks in a row are heard; the next one is overridden (spec/loop 6.6). */
export const MAX_STOP_HOOK_BLOCKS = 8;
