import type { Anything } from './anything';
import type { AssistantMessage, Message, StopReason, ToolCall } from './message';

/** A model as a provider offers it. `cost`: dollars per million tokens. */
export interface Model<Api extends string = Anything> {
  id: string;
  name: string;
  api: Api;
  provider: string;
  baseUrl: string;
  reasoning: boolean;
  thinkingLevelMap?: Anything;
  input: ('text' | 'image')[];
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow: number;
  maxTokens: number;
  headers?: Record<string, string>;
  compat?: Anything;
}

export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** Tokens to think with, per level. */
export interface ThinkingBudgets {
  minimal?: number;
  low?: number;
  medium?: number;
  high?: number;
}

export type Transport = 'sse' | 'websocket' | 'websocket-cached' | 'auto';

/** Settings of one request. The loop hands them on and reads none but `apiKey` and `reasoning`. */
export interface SimpleStreamOptions {
  temperature?: number;
  maxTokens?: number;
  signal?: AbortSignal;
  apiKey?: string;
  transport?: Transport;
  cacheRetention?: 'none' | 'short' | 'long';
  sessionId?: string;
  onPayload?: (payload: unknown, model: Model) => Anything;
  onResponse?: (
    response: { status: number; headers: Record<string, string> },
    model: Model,
  ) => void | Promise<void>;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxRetries?: number;
  maxRetryDelayMs?: number;
  metadata?: Record<string, unknown>;
  reasoning?: Exclude<ThinkingLevel, 'off'>;
  thinkingBudgets?: ThinkingBudgets;
}

/** What a tool looks like to a model. `parameters`: JSON Schema, which TypeBox schemas are. */
export interface Tool<Parameters = Anything> {
  name: string;
  description: string;
  parameters: Parameters;
}

export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

/** A reply as it streams: `start`, then parts, then `done` or `error`. `partial` is all there is so far. */
export type AssistantMessageEvent =
  | { type: 'start'; partial: AssistantMessage }
  | {
      type: 'text_start' | 'thinking_start' | 'toolcall_start';
      contentIndex: number;
      partial: AssistantMessage;
    }
  | {
      type: 'text_delta' | 'thinking_delta' | 'toolcall_delta';
      contentIndex: number;
      delta: string;
      partial: AssistantMessage;
    }
  | {
      type: 'text_end' | 'thinking_end';
      contentIndex: number;
      content: string;
      partial: AssistantMessage;
    }
  | {
      type: 'toolcall_end';
      contentIndex: number;
      toolCall: ToolCall;
      partial: AssistantMessage;
    }
  | {
      type: 'done';
      reason: Extract<StopReason, 'stop' | 'length' | 'toolUse'>;
      message: AssistantMessage;
    }
  | { type: 'error'; reason: Extract<StopReason, 'aborted' | 'error'>; error: AssistantMessage };

export interface AssistantMessageStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/** Sends one request. Never throws for what the model or the network does: that is a message whose `stopReason`
 *  is `error` or `aborted`. */
export type StreamFn = (
  model: Model,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantMessageStream | Promise<AssistantMessageStream>;
