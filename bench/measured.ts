/** One run of an entrant. */
export interface TurnsMeasured {
  readonly entrant: string;
  /** Turns asked for. */
  readonly asked: number;
  /** Turns that came. */
  readonly turns: number;
  /** null: it came to its end. */
  readonly ended: string | null;
  /** Medians, ms. A turn: from the arrival of one model request to that of the next. */
  readonly firstTenMs: number;
  readonly lastTenMs: number;
  /** For the plot: the median of each ten turns, at the middle of them. */
  readonly windows: readonly (readonly [turn: number, ms: number])[];
  /** CPU time a turn over the whole run. */
  readonly agentCpuMs: number;
  readonly engineCpuMs: number;
  /** Memory of the agent's process at the end. */
  readonly rssMB: number;
  /** A turn, over the whole run; null: the engine has no events. */
  readonly events: number | null;
  /** A turn, KB of 1,000 bytes. */
  readonly engineKB: number;
  readonly besideKB: number;
  readonly lastRequestKB: number;
}

/** A SIGKILL while a tool runs whose effect can be counted. */
export interface KillMeasured {
  readonly entrant: string;
  /** How often the effect is there. */
  readonly effects: number;
  /** From the kill to the request that carries the tool's result; null: none came in time. */
  readonly nextRequestS: number | null;
  /** From the kill until the replacement was ready, of which it had to wait for its own start. */
  readonly readyS: number;
  readonly error: string | null;
}

/** An entrant that could not be measured: here, or at all. */
export interface Failure {
  readonly entrant: string;
  /** What was tried. */
  readonly part: string;
  readonly error: string;
}

export interface PeersReport {
  readonly schema: 1;
  /** ISO instant. */
  readonly startedAt: string;
  readonly machine: string;
  readonly node: string;
  readonly temporalCli: string;
  /** Load average of one minute. */
  readonly load: { readonly before: number; readonly after: number };
  readonly versions: readonly { readonly entrant: string; readonly versions: string }[];
  readonly turns: readonly TurnsMeasured[];
  readonly kills: readonly KillMeasured[];
  readonly failures: readonly Failure[];
}
