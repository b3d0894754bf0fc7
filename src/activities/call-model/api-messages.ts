import type {
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ContextMessage } from '../../loop/prepare/context-message';
import { isThought } from '../conversation/context-messages';

/** The conversation as the API sees it (spec/loop 5.14): neighbours of one role merged, results first and one
 *  per call. Deterministic, so that the prefix of a request never changes. */
export function toApiMessages(
  messages: readonly Pick<ContextMessage, 'role' | 'content'>[],
  userContext: string | null,
): MessageParam[] {
  const context: Part[] =
    userContext === null ? [] : [{ role: 'user', content: [{ type: 'text', text: userContext }] }];
  // Twice: what is left out in between makes new neighbours.
  return merge(pairCalls(merge([...context, ...messages]).map(withoutLastThoughts)));
}

interface Part {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlockParam[];
}

function merge(parts: readonly Part[]): { role: Part['role']; content: ContentBlockParam[] }[] {
  const messages: { role: Part['role']; content: ContentBlockParam[] }[] = [];
  for (const { role, content } of parts) {
    const last = messages.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  }
  return messages;
}

/** A reply that was cut off may end with a thought; the API refuses messages that do. */
function withoutLastThoughts({ role, content }: Part): Part {
  const last = content.findLastIndex((block) => !isThought(block));
  return role === 'user' ? { role, content } : { role, content: content.slice(0, last + 1) };
}

/** Results stand first in the message behind their calls; a call without one gets one, a stray one goes. */
function pairCalls(messages: readonly Part[]): readonly Part[] {
  const paired: Part[] = [];
  let open: readonly string[] = [];
  for (const { role, content } of messages) {
    if (content.length === 0) continue;
    if (role === 'assistant') {
      paired.push({ role, content });
      open = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      continue;
    }
    const results = content.filter((block) => block.type === 'tool_result');
    const answers = open.map(
      (id) => results.find((result) => result.tool_use_id === id) ?? missingResult(id),
    );
    const rest = content.filter((block) => block.type !== 'tool_result');
    open = [];
    paired.push({ role, content: [...answers, ...rest] });
  }
  return [...paired, { role: 'user', content: open.map(missingResult) }];
}

const missingResult = (id: string): ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'No result of this call was recorded.',
  is_error: true,
});
