import type { AssistantMessage, Usage } from './message';
import type { Model } from './model';

export const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** What stands in the place of a reply that could not be had. */
export function failedReply(
  { api, provider, id }: Model,
  error: unknown,
  stopReason: 'error' | 'aborted',
): AssistantMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text: '' }],
    api: String(api),
    provider,
    model: id,
    usage: NO_USAGE,
    stopReason,
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  };
}
