import type Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { AgentMessage } from '../../agent/agent-hooks';
import { toApiMessages } from '../call-model/api-messages';
import type { QueryCall } from '../query-call';
import { askHook } from './ask-hook';
import { modelClient } from './model-client';

/** What the agent makes of a request: its messages, and the client that sends it. */
export interface AgentRequest {
  readonly messages: MessageParam[];
  readonly anthropic: Anthropic;
}

/** Transform, convert, key: in this order, and anew for every request. null: somebody stopped it meanwhile. */
export async function agentRequest(
  query: QueryCall,
  prepared: readonly AgentMessage[],
  userContext: string | null,
): Promise<AgentRequest | null> {
  const { hooks } = query.agent;
  try {
    let messages = prepared;
    if (hooks.transformContext !== undefined) {
      const seen = messages;
      messages = await askHook(
        query,
        'transformContext',
        (at) => hooks.transformContext?.(seen, at) ?? seen,
      );
    }
    if (hooks.convertToLlm !== undefined) {
      const seen = messages;
      messages = await askHook(
        query,
        'convertToLlm',
        (at) => hooks.convertToLlm?.(seen, at) ?? seen,
      );
    }
    const anthropic = await modelClient(query);
    return { messages: toApiMessages(messages.map(withBlocks), userContext), anthropic };
  } catch (error) {
    if (!query.attempt.stop.aborted) throw error;
    return null;
  }
}

const withBlocks = ({ role, content }: AgentMessage) => ({
  role,
  content: typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
});
