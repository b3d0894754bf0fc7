import type {
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigEnabled,
} from '@anthropic-ai/sdk/resources/messages';
import type { Effort } from '../../transcript/message';
import type { Tool } from '../../tools/tool';
import { toApiTool } from '../tool-catalog';
import type { ModelCall } from './call-model';

export interface RequestParts {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  readonly messages: MessageParam[];
  /** Tokens of extended thinking; 0: off. */
  readonly maxThinkingTokens: number;
  /** Absent: the model decides. */
  readonly effort?: Effort | undefined;
  /** Told to the model; null: there is none (spec/loop 3.9). */
  readonly taskBudget: { readonly total: number; readonly remaining?: number } | null;
}

const CACHE = { type: 'ephemeral' } as const;

/** spec/loop 4.12: what a capped request asks for first. */
const CAPPED_OUTPUT_TOKENS = 8_000;

/** Output tokens to ask for: what the loop or the user says, else the usual number, or the cap. */
export function outputTokensFor({ input, options, deps }: ModelCall): number {
  if (input.maxOutputTokens !== undefined) return input.maxOutputTokens;
  const isCapped = options.gates?.cappedOutput === true && !deps.isOutputChosen;
  return isCapped ? CAPPED_OUTPUT_TOKENS : deps.maxOutputTokens;
}

/** One request. Cache marks stand behind the system prompt (which covers the tools before it) and, by the
 *  request's own mark, behind its last block: marks inside messages would change the prefix each turn. */
export function toRequest(parts: RequestParts): MessageCreateParamsStreaming {
  const { model, maxTokens, messages, maxThinkingTokens } = parts;
  const last = parts.system.length - 1;
  const system = parts.system.map((text, index): TextBlockParam => ({
    type: 'text',
    text,
    ...(index === last && { cache_control: CACHE }),
  }));
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    cache_control: CACHE,
    ...(system.length > 0 && { system }),
    ...(parts.tools.length > 0 && { tools: parts.tools.map(toApiTool) }),
    messages,
    ...(maxThinkingTokens > 0 && { thinking: thoughtsOf(maxThinkingTokens, maxTokens) }),
    ...outputConfigOf(parts),
  };
}

/** The task budget is newer than the client's types. */
function outputConfigOf({ effort, taskBudget }: RequestParts): object {
  if (effort === undefined && taskBudget === null) return {};
  return {
    output_config: {
      ...(effort !== undefined && { effort }),
      ...(taskBudget !== null && { task_budget: { type: 'tokens', ...taskBudget } }),
    },
  };
}

/** The same request with room for fewer tokens of output. */
export function withOutputTokens(
  request: MessageCreateParamsStreaming,
  maxTokens: number,
): MessageCreateParamsStreaming {
  const { thinking } = request;
  return {
    ...request,
    max_tokens: maxTokens,
    ...(thinking?.type === 'enabled' && {
      thinking: thoughtsOf(thinking.budget_tokens, maxTokens),
    }),
  };
}

/** The API wants room for an answer beside the thoughts. */
function thoughtsOf(budgetTokens: number, maxTokens: number): ThinkingConfigEnabled {
  return { type: 'enabled', budget_tokens: Math.min(budgetTokens, maxTokens - 1) };
}
