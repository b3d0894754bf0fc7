import type { Anything } from './anything';

export interface TextContent {
  type: 'text';
  text: string;
  textSignature?: string;
}

export interface ThinkingContent {
  type: 'thinking';
  thinking: string;
  /** Sent back to the API as it came. */
  thinkingSignature?: string;
  /** true: `thinking` was withheld by the provider, the signature holds it encrypted. */
  redacted?: boolean;
}

export interface ImageContent {
  type: 'image';
  /** base64. */
  data: string;
  mimeType: string;
}

export interface ToolCall {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, Anything>;
  thoughtSignature?: string;
}

/** Tokens, and `cost` in dollars. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

/** `timestamp`: ms since the epoch, in every message. */
export interface UserMessage {
  role: 'user';
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

export interface AssistantMessage {
  role: 'assistant';
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  /** Id of the model that was asked. */
  model: string;
  responseModel?: string;
  responseId?: string;
  diagnostics?: Anything[];
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
}

export interface ToolResultMessage<Details = Anything> {
  role: 'toolResult';
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: Details;
  isError: boolean;
  timestamp: number;
}

/** What a language model understands. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** An application's own kinds of message, added by declaration merging; `convertToLlm` turns them into a `Message`
 *  or leaves them out. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- empty until an application merges into it
export interface CustomAgentMessages {}

export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages];
