import type { AutoCompactTracking } from './auto-compact-tracking';
import type { Context } from './context';
import type { Gates } from './gates';
import type { Locals } from './locals';
import type { State, ToolUseContext } from './state';

/** What a query starts with. All of it is small and holds no content. */
export interface QueryParams {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  /** null: no limit. Looked at anew for each decision: the host may change it while the query runs. */
  readonly maxTurns: number | null;
  /** null: the model's default. */
  readonly maxOutputTokensOverride: number | null;
  /** Tools of one reply that may run at the same time. */
  readonly maxToolConcurrency: number;
  readonly gates: Gates;
  /** What the session's queries before learnt of its compactions. Absent: nothing. */
  readonly autoCompactTracking?: AutoCompactTracking | null;
  /** Tokens that the whole task may use, as the model is told. Absent: no limit. */
  readonly taskBudget?: number | null;
  /** Output tokens that the prompt asks to be used. Absent: it names no number. */
  readonly tokenBudget?: number | null;
  /** USD, sub-agents included. Absent: no limit. */
  readonly maxBudgetUsd?: number | null;
  /** Tokens that are no cache reads, in and out, sub-agents included. Absent: no limit. */
  readonly maxTokens?: number | null;
  /** ms of running, without the time that people kept it waiting. Absent: no limit. */
  readonly maxMs?: number | null;
  /** The host asks people before it goes on over a limit. Absent: the query ends there. */
  readonly onLimit?: 'pause';
  /** Where an earlier run of this query left off; null: the query begins here. */
  readonly carry: Carry | null;
}

/** What a rollover hands on. Gates and limits travel in the params themselves. */
export interface Carry {
  readonly state: State;
  readonly locals: Locals;
}
