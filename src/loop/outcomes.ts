import type { Context, ToolUse } from './context';
import type { Usage } from './usage';

/** `reply`: the model answered. `no_request`: a local command did. `interrupted`: what there was is kept.
 *  `compaction_needed`: the context is nearly full; everything is chained, nothing was sent.
 *  `compact_command`: the user asked for a summary. `blocking_limit`: the context is full, nothing was sent.
 *  `failed`: nothing could be asked; `messages` is what is still to be chained. */
export type ModelOutcome =
  | Reply
  | { readonly type: 'no_request'; readonly leaf: string }
  | { readonly type: 'compaction_needed'; readonly leaf: string }
  | { readonly type: 'compact_command'; readonly leaf: string }
  | { readonly type: 'blocking_limit'; readonly leaf: string }
  | {
      readonly type: 'interrupted';
      readonly messages: Context;
      readonly stream: string;
      readonly toolUses: readonly ToolUse[];
    }
  | { readonly type: 'failed'; readonly messages: Context; readonly message: string };

export interface Reply {
  readonly type: 'reply';
  /** End of the context as it was sent. */
  readonly requestLeaf: string;
  /** End of the context with the reply. A withheld refusal of the request leaves it where it was. */
  readonly leaf: string;
  /** Names the stream that was kept: early tools of any other are void. */
  readonly stream: string;
  readonly toolUses: readonly ToolUse[];
  readonly stopReason: string | null;
  /** An error that a recovery may cure before anybody sees it. */
  readonly withheld: WithheldError | null;
  /** An error of the API that the reply ends with; it is a message in the transcript already. */
  readonly apiError: ApiErrorKind | null;
  readonly usage: Usage;
  /** The one that answered: another than was asked for if the fallback model took over. */
  readonly model: string;
  readonly apiMs: number;
  /** USD by the Worker's own prices; absent: what the table says. */
  readonly costUsd?: number;
  /** true: there are hooks that want to hear of the end. */
  readonly hasStopHooks?: boolean;
  /** true: the agent wants to hear of the end of each turn. */
  readonly hasTurnHooks?: boolean;
  /** true: the reply holds no block at all. */
  readonly isEmpty?: boolean;
  /** The request came near to what the context holds (spec/loop 3.7b); absent: it did not. */
  readonly contextWarning?: ContextWarning;
}

/** Marks below the threshold of the compaction. */
export type ContextWarning = 'warning' | 'error';

export type WithheldError = 'output_limit' | 'prompt_too_long' | 'media_size';

/** Values of the SDK's `assistant.error`, and the two that end a query with a reason of their own. */
export type ApiErrorKind =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'prompt_too_long'
  | 'media_size';

/** `failed`: nothing came of it; `lost` says why, if it was not the program around the tool. */
export type ToolOutcome =
  | {
      readonly type: 'done';
      readonly isError: boolean;
      readonly denied?: true;
      /** Where the shell stands after the call, if it moved. */
      readonly workingDirectory?: string;
      /** A hook wants the query to end with this batch. */
      readonly hookStopped?: true;
      /** No further reply is wanted; counts only if every call of the batch says so. */
      readonly terminate?: true;
      /** The value that the caller asked for is there. */
      readonly structuredOutput?: true;
      /** Who denied it wants the query to end as well. */
      readonly interrupts?: true;
    }
  | { readonly type: 'interrupted' }
  | { readonly type: 'sibling_error' }
  | { readonly type: 'failed'; readonly message: string };
