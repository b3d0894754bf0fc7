import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKSystemMessage,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk' with { 'resolution-mode': 'import' };

export const isInit = (message: SDKMessage): message is SDKSystemMessage =>
  message.type === 'system' && message.subtype === 'init';

export const isPartial = (message: SDKMessage): message is SDKPartialAssistantMessage =>
  message.type === 'stream_event';

export const isText = (message: SDKMessage): message is SDKAssistantMessage =>
  message.type === 'assistant' && message.message.content.some(({ type }) => type === 'text');

export const isToolResult = (message: SDKMessage): message is SDKUserMessage =>
  message.type === 'user' && JSON.stringify(message.message.content).includes('"tool_result"');
