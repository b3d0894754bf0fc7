import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { Gates } from '../loop/gates';
import type { Tool } from '../tools/tool';
import type { MemoryTranscript } from './memory-transcript';

export interface InProcessOptions {
  readonly prompt: string | readonly ContentBlockParam[];
  /** Sends one request; `client.messages.create` of the Anthropic SDK fits. Ends when the signal aborts.
   *  Retries are its own: what it throws becomes the reply, unless a recovery cures it. */
  callApi(
    request: MessageCreateParamsStreaming,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<RawMessageStreamEvent> | Promise<AsyncIterable<RawMessageStreamEvent>>;
  readonly model: string;
  readonly tools?: readonly Tool[];
  readonly system?: readonly string[];
  /** Where tools work, and the folder that file tools may touch; omitted: that of the process. */
  readonly workingDirectory?: string;
  readonly maxTurns?: number;
  /** Omitted: 32,000, or 8,000 where output is capped. */
  readonly maxOutputTokens?: number;
  readonly maxToolConcurrency?: number;
  /** USD. The run ends with the reply that crosses it. */
  readonly maxBudgetUsd?: number;
  /** Tokens that the whole task may use, as the model is told. */
  readonly taskBudget?: number;
  /** Output tokens that should be used: the model is asked to go on until they are. */
  readonly tokenBudget?: number;
  /** Tokens, if the context should stay smaller than the model's window. */
  readonly contextWindow?: number;
  readonly gates?: Partial<Gates>;
  /** The conversation to go on with; omitted: a new one. */
  readonly transcript?: MemoryTranscript;
  readonly signal?: AbortSignal;
  /** What the user wrote since it was last asked; the model hears it after the next tool results. */
  takeSteering?(): readonly string[];
  /** Why a call may not run; null: it may. Omitted: every call may. */
  refuse?(tool: Tool, input: unknown): Promise<string | null>;
  /** Hears that the run is about to end well, and may object; null: it may end. */
  onStop?(stop: Stop): Promise<Objection | null>;
}

export interface Stop {
  readonly lastMessage: string;
  /** true: it objected before, and nothing but that was worked on since. */
  readonly stopHookActive: boolean;
}

/** `block`: the model goes on with the feedback, eight times in a row at most. `end`: the run ends at once. */
export type Objection =
  { readonly type: 'block'; readonly feedback: string } | { readonly type: 'end' };
