import type { Context, ToolUseRef } from '../loop/context';
import type { ToolOutcome } from '../loop/deps';
import type { SentOutcome } from '../loop/sent-outcome';
import type { PermissionMode } from '../loop/state';
import type { Tally } from '../loop/tally';
import type { Terminal } from '../loop/terminal';

/** What Workflows ask of the outside world. Session and prompt are read from the Workflow id. */
export interface Activities {
  /** One request, retries by Temporal. Fails: only for what no retry cures (`Store.*`, `Config.*`). */
  callModel(input: CallModelInput): Promise<SentOutcome>;
  /** One tool call, from lookup to recorded result. */
  runTool(input: RunToolInput): Promise<ToolOutcome>;
  /** Chains what is left, writes the result, and tells the session. Safe to repeat. */
  finishQuery(input: FinishQueryInput): Promise<FinishedQuery>;
}

export interface CallModelInput {
  readonly messages: Context;
  readonly model: string;
  readonly turn: number;
  /** Absent: the model's default. */
  readonly maxOutputTokens?: number;
  /** true: finished safe calls are signalled while the reply still streams. */
  readonly early: boolean;
}

export interface RunToolInput {
  readonly call: ToolUseRef;
  readonly mode: PermissionMode;
  readonly workingDirectory: string;
}

export interface FinishQueryInput {
  readonly messages: Context;
  readonly terminal: Terminal;
  readonly tally: Tally;
  readonly sessionRunsAs: string;
}

export interface FinishedQuery {
  readonly leaf: string | null;
}
