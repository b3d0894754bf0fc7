/** Switches of the loop, read once per query from its input and constant for its whole life (spec/loop 0.4, 13.10). */
export interface Gates {
  /** Concurrency-safe tools start while the reply still streams. */
  readonly streamingToolExecution: boolean;
  /** Results of one message together stay below a limit: the largest are replaced by a preview (3.3b). */
  readonly toolResultBudget: boolean;
  /** The oldest rounds are left out when the context grows (3.4). */
  readonly snip: boolean;
  /** Old or huge results of file, shell and web tools are cleared (3.5). */
  readonly microcompact: boolean;
  /** Old rounds are shown as summaries; suppresses proactive compaction (3.6). */
  readonly contextCollapse: boolean;
  /** The conversation is summarised before its context is full (3.7). */
  readonly autocompact: boolean;
  /** The conversation is summarised when the API says that it is too long (6.2). */
  readonly reactiveCompact: boolean;
  /** Requests ask for 8,000 output tokens first and are repeated once with 64,000. */
  readonly cappedOutput: boolean;
  /** A reply that is cut off for the last time is followed by one compaction before the error is shown (6.3). */
  readonly compactAfterOutputLimit: boolean;
  /** A prompt that names a budget ("+500k") is worked on until it is used up (6.7). */
  readonly tokenBudget: boolean;
  /** A small model writes a label for each batch of tools (5.15). */
  readonly toolUseSummaries: boolean;
  /** A failing Bash call ends the calls beside it (4.18). */
  readonly siblingAbort: boolean;
}

export const DEFAULT_GATES: Gates = {
  streamingToolExecution: true,
  toolResultBudget: true,
  snip: false,
  microcompact: true,
  contextCollapse: false,
  autocompact: true,
  reactiveCompact: true,
  cappedOutput: false,
  compactAfterOutputLimit: false,
  tokenBudget: false,
  toolUseSummaries: false,
  siblingAbort: false,
};
