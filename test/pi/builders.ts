import {
  createAssistantMessageEventStream,
  type AgentContext,
  type AgentEvent,
  type AgentLoopConfig,
  type AgentMessage,
  type AgentTool,
  type AgentToolResult,
  type AssistantMessage,
  type Context,
  type Message,
  type Model,
  type SimpleStreamOptions,
  type StreamFn,
  type ToolCall,
  type UserMessage,
} from '../../src/pi';

export const MODEL: Model = {
  id: 'scripted',
  name: 'Scripted',
  api: 'scripted-api',
  provider: 'scripts',
  baseUrl: 'http://127.0.0.1:1',
  reasoning: true,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

export const user = (content: string): UserMessage => ({ role: 'user', content, timestamp: 1 });

export function says(text: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: MODEL.api as string,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
    stopReason: 'stop',
    timestamp: 2,
    ...more,
  };
}

export const call = (name: string, args: Record<string, unknown> = {}, id = name): ToolCall => ({
  type: 'toolCall',
  id,
  name,
  arguments: args,
});

export const calls = (...content: ToolCall[]): AssistantMessage =>
  says('', { content, stopReason: 'toolUse' });

export interface Asked {
  readonly model: Model;
  readonly context: Context;
  readonly options: SimpleStreamOptions;
}

/** Streams replies in order: the first half of each, then all of it. Keeps what it was asked with. */
export function scripted(...replies: AssistantMessage[]) {
  const asked: Asked[] = [];
  const streamFn: StreamFn = (model, context, options = {}) => {
    const message = replies[asked.length];
    asked.push({ model, context: { ...context, messages: [...context.messages] }, options });
    if (message === undefined) throw new Error('The script is used up.');
    const stream = createAssistantMessageEventStream();
    const { stopReason: reason } = message;
    const partial = { ...message, content: [] };
    stream.push({ type: 'start', partial });
    stream.push({ type: 'text_delta', contentIndex: 0, delta: '…', partial: message });
    if (reason === 'error' || reason === 'aborted') {
      stream.push({ type: 'error', reason, error: message });
    } else stream.push({ type: 'done', reason, message });
    return stream;
  };
  return { streamFn, asked };
}

const text = (result: string): AgentToolResult<unknown> => ({
  content: [{ type: 'text', text: result }],
  details: { result },
});

export function tool(name: string, more: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    label: name,
    description: name,
    parameters: { type: 'object', properties: {} },
    execute: async () => text(`${name} ran`),
    ...more,
  };
}

export { text as result };

export const contextWith = (
  tools: AgentTool[] = [],
  messages: AgentMessage[] = [],
): AgentContext => ({
  systemPrompt: 'Be brief.',
  messages,
  tools,
});

export const configWith = (more: Partial<AgentLoopConfig> = {}): AgentLoopConfig => ({
  model: MODEL,
  convertToLlm: (messages) => messages as Message[],
  ...more,
});

/** Events in short: the kind, and what tells one from another. Updates of a reply are left out. */
export function inShort(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'message_update':
        return [];
      case 'message_start':
      case 'message_end':
        return `${event.type} ${nameOf(event.message)}`;
      case 'tool_execution_start':
      case 'tool_execution_update':
      case 'tool_execution_end':
        return `${event.type} ${event.toolCallId}`;
      case 'agent_start':
      case 'agent_end':
      case 'turn_start':
      case 'turn_end':
        return event.type;
    }
  });
}

function nameOf(message: AgentMessage): string {
  return message.role === 'toolResult' ? `result of ${message.toolCallId}` : message.role;
}

export async function read<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** A promise that the test settles. */
export function gate<T = void>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { open, opened };
}
