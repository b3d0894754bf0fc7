import type { Context, QueuedMessage, ToolUse } from './context';
import type { State, ToolUseContext } from './state';
import type { AbortReason, Terminal } from './terminal';
import type { Usage } from './usage';

/** What the loop needs from its host. The `query` Workflow binds Activities, tests bind plain functions. */
export interface LoopDeps {
  /** Sends one request. Yields early tool calls and, in-process, raw stream events; ends with one outcome.
   *  Never throws for what the model or its API does: that is an outcome. */
  callModel(request: ModelRequest): AsyncGenerator<ModelEvent, ModelOutcome>;
  /** Runs one call to its result. Never throws for what the tool does: that is an outcome. */
  runTool(call: ToolCall): Promise<ToolOutcome>;
  /** Messages the user wrote meanwhile that should be heard now; they count as consumed. */
  takeQueued(): readonly QueuedMessage[];
  /** Why the query should stop; null: it should not. */
  abortReason(): AbortReason | null;
}

export interface ModelRequest {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  readonly turnCount: number;
  readonly maxOutputTokensOverride: number | null;
}

export type ModelEvent =
  | { readonly type: 'stream_event'; readonly event: unknown }
  | { readonly type: 'tool_ready'; readonly stream: string; readonly toolUse: ToolUse };

/** `reply`: the model answered. `no_request`: a local command did. `interrupted`: what there was is kept.
 *  `failed`: nothing could be asked; `messages` is what is still to be chained. */
export type ModelOutcome =
  | Reply
  | { readonly type: 'no_request'; readonly leaf: string }
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
  /** End of the context with the reply. */
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
  readonly model: string;
  readonly apiMs: number;
}

export type WithheldError = 'output_limit';

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

export interface ToolCall {
  readonly toolUse: ToolUse;
  readonly toolUseContext: ToolUseContext;
  readonly turnCount: number;
}

/** `workingDirectory`: where the shell stands after the call, if it moved. */
export type ToolOutcome =
  | {
      readonly type: 'done';
      readonly isError: boolean;
      readonly denied?: true;
      readonly workingDirectory?: string;
    }
  | { readonly type: 'interrupted' }
  | { readonly type: 'failed'; readonly message: string };

/** What the loop tells its consumer. In the Workflow these drive status and rollover; in-process, everything. */
export type LoopEvent =
  | { readonly type: 'stream_request_start'; readonly turnCount: number; readonly model: string }
  | { readonly type: 'stream_event'; readonly event: unknown }
  | { readonly type: 'assistant'; readonly reply: Reply }
  | { readonly type: 'tool_result'; readonly toolUse: ToolUse; readonly outcome: ToolOutcome }
  | { readonly type: 'attachment'; readonly attachment: Attachment }
  | { readonly type: 'transition'; readonly state: State }
  | { readonly type: 'end'; readonly messages: Context; readonly terminal: Terminal };

export type Attachment =
  | { readonly type: 'queued_message'; readonly messageId: string }
  | { readonly type: 'max_turns_reached'; readonly maxTurns: number; readonly turnCount: number };
