import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ToolResultMessage,
} from './message';
import type { Context, Model, SimpleStreamOptions, ThinkingBudgets, Tool } from './model';

/** Tokens to think with where the options name none. */
const THINKING_TOKENS: Required<ThinkingBudgets> & { readonly xhigh: number } = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
};

/** The request as the Anthropic API expects it. */
export function toAnthropicRequest(
  model: Model,
  { systemPrompt, messages, tools = [] }: Context,
  { maxTokens = model.maxTokens, temperature, reasoning, ...options }: SimpleStreamOptions,
): MessageCreateParamsStreaming {
  const isCached = options.cacheRetention !== 'none';
  const ttl = options.cacheRetention === 'long' ? '1h' : '5m';
  const thinks = reasoning !== undefined && model.reasoning;
  const budgets = { ...THINKING_TOKENS, ...options.thinkingBudgets };
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    messages: toApiMessages(messages),
    ...(isCached && { cache_control: { type: 'ephemeral', ttl } }),
    ...(systemPrompt && { system: systemPrompt }),
    ...(tools.length > 0 && { tools: tools.map(toApiTool) }),
    ...(thinks && {
      // The API wants room for an answer beside the thoughts.
      thinking: { type: 'enabled', budget_tokens: Math.min(budgets[reasoning], maxTokens - 1) },
    }),
    // Not both: the API refuses a temperature beside thoughts.
    ...(!thinks && temperature !== undefined && { temperature }),
  };
}

function toApiTool({ name, description, parameters }: Tool) {
  return {
    name,
    description,
    input_schema: { ...(parameters as object), type: 'object' as const },
  };
}

/** Results of one batch become one user message: the API wants them all in the next one. */
function toApiMessages(messages: readonly Message[]): MessageParam[] {
  const params: MessageParam[] = [];
  let results: ToolResultBlockParam[] | null = null;
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (results === null) params.push({ role: 'user', content: (results = []) });
      results.push(toApiResult(message));
      continue;
    }
    results = null;
    const content = message.role === 'user' ? toApiContent(message.content) : toApiReply(message);
    if (content.length > 0) params.push({ role: message.role, content });
  }
  return params;
}

/** Empty text is refused, and so are thoughts without the signature that belongs to them. */
function toApiReply({ content }: AssistantMessage): ContentBlockParam[] {
  return content.flatMap((block): ContentBlockParam | [] => {
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : { type: 'text', text: block.text };
      case 'thinking': {
        const { thinking, thinkingSignature: signature, redacted } = block;
        if (!signature) return [];
        return redacted === true
          ? { type: 'redacted_thinking', data: signature }
          : { type: 'thinking', thinking, signature };
      }
      case 'toolCall':
        return { type: 'tool_use', id: block.id, name: block.name, input: block.arguments };
    }
  });
}

function toApiResult({ toolCallId, content, isError }: ToolResultMessage): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    content: toApiContent(content),
    ...(isError && { is_error: true }),
  };
}

type PlainBlock = TextBlockParam | ImageBlockParam;

function toApiContent(content: string | readonly (TextContent | ImageContent)[]): PlainBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    const { data, mimeType } = block;
    const media_type = mimeType as 'image/png';
    return { type: 'image', source: { type: 'base64', data, media_type } };
  });
}
