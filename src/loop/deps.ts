import type { QueryChanges } from './changes';
import type { CompactOutcome, CompactRequest } from './compaction';
import type { Context, QueuedMessage, ToolUse } from './context';
import type { ModelOutcome, Reply, ToolOutcome } from './outcomes';
import type { ToolUseContext } from './state';
import type { StopPosition, StopVerdict } from './stop-hooks';
import type { AbortReason } from './terminal';
import type { FinishedTurn, TurnVerdict } from './turn-end';

/** What the loop needs from its host. The `query` Workflow binds Activities, tests bind plain functions. */
export interface LoopDeps {
  /** Sends one request. Yields early tool calls and, in-process, raw stream events; ends with one outcome.
   *  Never throws for what the model or its API does: that is an outcome. */
  callModel(request: ModelRequest): AsyncGenerator<ModelEvent, ModelOutcome>;
  /** Runs one call to its result. Never throws for what the tool does: that is an outcome. */
  runTool(call: ToolCall): Promise<ToolOutcome>;
  /** Puts a summary in the place of the conversation. Never throws. */
  compact(request: CompactRequest): Promise<CompactOutcome>;
  /** Commits every collapse that is staged; `committed: 0`: none was. */
  drainCollapses(messages: Context): Promise<Drained>;
  /** Runs the hooks of the end. Never throws. */
  runStopHooks(position: StopPosition): Promise<StopVerdict>;
  /** Starts a label for what a batch did, without waiting, and names it; null: none is wanted. */
  startToolUseSummary(batch: FinishedBatch): string | null;
  /** The label; null: it failed, or was lost with a rollover. */
  toolUseSummary(reference: string): Promise<string | null>;
  /** Hooks after each reply; nobody waits for them, and nothing they do stops the loop. */
  afterSampling?(reply: Reply): void;
  /** Hears of each turn that ended well, and has a say in what comes next. Omitted: nobody does. */
  endTurn?(turn: FinishedTurn): Promise<TurnVerdict>;
  /** What people changed since this was last asked; null: nothing. Omitted: nobody changes anything. */
  takeChanges?(): QueryChanges | null;
  /** Messages the user wrote meanwhile that should be heard now, up to the priority; they count as consumed. */
  takeQueued(upTo: QueuePriority): readonly QueuedMessage[];
  /** Why the query should stop; null: it should not. */
  abortReason(): AbortReason | null;
}

/** `now` interrupts, `next` is heard after the running batch, `later` when the agent has nothing else to do. */
export type QueuePriority = 'next' | 'later';

export interface ModelRequest {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  readonly turnCount: number;
  readonly maxOutputTokensOverride: number | null;
  /** What the context may be made shorter by before it is sent. `compact`: anything. `none`: too many summaries
   *  failed. `just_compacted`: it was, so that its size is no reason to refuse it. */
  readonly room: 'compact' | 'none' | 'just_compacted';
  /** Tokens of the task budget: all of it, and after a compaction what is left. Absent: there is none. */
  readonly taskBudget?: { readonly total: number; readonly remaining?: number };
}

export type ModelEvent =
  | { readonly type: 'stream_event'; readonly event: unknown }
  | { readonly type: 'tool_ready'; readonly stream: string; readonly toolUse: ToolUse };

export interface ToolCall {
  readonly toolUse: ToolUse;
  readonly toolUseContext: ToolUseContext;
  readonly turnCount: number;
  /** Settles when a call beside it failed so that this one is not wanted any more; absent: never. */
  readonly unwanted?: Promise<void>;
}

export interface Drained {
  readonly leaf: string;
  readonly committed: number;
}

export interface FinishedBatch {
  readonly toolUses: readonly ToolUse[];
  readonly turnCount: number;
}
