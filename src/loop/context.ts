/** What a model request is built from, by reference: the content itself never leaves the transcript store. */
export interface Context {
  /** uuid of the record that ends the context; null: wherever the transcript ends when it is first read;
   *  `EMPTY_CONTEXT`: nothing comes before. */
  readonly leaf: string | null;
  /** What the next request brings, in order. It is chained behind `leaf` by the Activity that sends it. */
  readonly pending: readonly Pending[];
}

/** A leaf that names nothing: the context begins with what is pending. */
export const EMPTY_CONTEXT = '';

/** One thing that waits to be chained behind the leaf.
 *  `message`: a user's message in the session's inbox.
 *  `tool_result`: a finished call in the ledger; `lost` says why a call has no result of its own.
 *  `nudge`: a hidden user message whose text belongs to the Activity.
 *  `api_error`: a synthetic reply that tells people what went wrong; the model never sees it.
 *  `interruption`: the note that tells the model that the user stopped it. */
export type Pending =
  | QueuedMessage
  | { readonly type: 'tool_result'; readonly toolUse: ToolUseRef; readonly lost?: LostReason }
  | { readonly type: 'nudge'; readonly nudge: Nudge; readonly percent?: number }
  | { readonly type: 'interruption'; readonly during: 'streaming' | 'tools' }
  | { readonly type: 'api_error'; readonly error: SyntheticError };

/** What a query can end with that no reply of the API says. */
export type SyntheticError =
  'max_output_tokens' | 'prompt_too_long' | 'media_size' | 'blocking_limit' | 'rapid_refill';

/** `steering`: written while the query ran; the model is told that it came in meanwhile. */
export interface QueuedMessage {
  readonly type: 'message';
  readonly messageId: string;
  readonly steering?: true;
}

/** `output_limit`: go on where the reply was cut off. `token_budget`: `percent` of the budget is used, go on. */
export type Nudge = 'output_limit' | 'token_budget';

/** Why a `tool_use` gets a synthetic `tool_result` (spec/loop 4.19, 5.13). */
export type LostReason = 'user_interrupted' | 'tool_failed' | 'sibling_error' | 'budget_exhausted';

/** Names one call. `recordId` is the record that holds the block: call ids alone may repeat in a session. */
export interface ToolUseRef {
  readonly id: string;
  readonly recordId: string;
}

/** A tool call as it crosses into Workflow code. Its input stays in the store. */
export interface ToolUse extends ToolUseRef {
  readonly name: string;
  readonly isConcurrencySafe: boolean;
  /** At most 200 redacted characters for people: "npm test". */
  readonly summary: string;
}
