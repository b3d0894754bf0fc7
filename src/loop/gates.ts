/** Switches of the loop, read once per query from its input and constant for its whole life (spec/loop 0.4). */
export interface Gates {
  /** Concurrency-safe tools start while the reply still streams. */
  readonly streamingToolExecution: boolean;
  /** Requests ask for 8,000 output tokens first and are repeated once with 64,000. */
  readonly cappedOutput: boolean;
}

export const DEFAULT_GATES: Gates = { streamingToolExecution: true, cappedOutput: false };
