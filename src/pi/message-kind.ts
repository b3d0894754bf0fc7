import type { AgentMessage, AssistantMessage, Message, ToolCall } from './message';

const ROLES_OF_MODELS: ReadonlySet<string> = new Set(['user', 'assistant', 'toolResult']);

export function isForModels(message: AgentMessage): message is Message {
  return ROLES_OF_MODELS.has(message.role);
}

export const isToolCall = (block: AssistantMessage['content'][number]): block is ToolCall =>
  block.type === 'toolCall';
