/** The least that a turn by reference can be: two Activities, ids in and ids out. */
export interface BaselineInput {
  readonly turns: number;
  readonly context: TurnContext;
}

export interface TurnContext {
  readonly session: string;
  readonly model: string;
  readonly head: string;
  readonly turn: number;
}

export interface Asked {
  readonly head: string;
  readonly calls: readonly string[];
}

export interface BaselineActivities {
  ask(context: TurnContext): Promise<Asked>;
  act(call: { readonly session: string; readonly head: string; readonly id: string }): Promise<{
    readonly head: string;
  }>;
}

/** What the Worker process is told before it starts. */
export interface BaselineOrder {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundle: string;
}

/** What it is told before each run: where `ask` sends a request of so many bytes in each turn; null: it does
 *  nothing. */
export interface BaselineRequests {
  readonly requests: { readonly url: string; readonly bodyBytes: readonly number[] } | null;
}

/** What it tells: when it polls, when it is ready for a run, and each `ask` as it begins. */
export type BaselineMessage =
  | { readonly type: 'polling' }
  | { readonly type: 'ready' }
  | { readonly type: 'asked'; readonly atMs: number };
