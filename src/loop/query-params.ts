import type { Context } from './context';
import type { Gates } from './gates';
import type { State, ToolUseContext } from './state';

/** What a query starts with. All of it is small and holds no content. */
export interface QueryParams {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  /** null: no limit. */
  readonly maxTurns: number | null;
  /** null: the model's default. */
  readonly maxOutputTokensOverride: number | null;
  /** Tools of one reply that may run at the same time. */
  readonly maxToolConcurrency: number;
  readonly gates: Gates;
  /** Where an earlier run of this query left off; null: the query begins here. */
  readonly carry: Carry | null;
}

/** What a rollover hands on. Gates and limits travel in the params themselves. */
export interface Carry {
  readonly state: State;
}
