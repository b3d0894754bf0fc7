import type { ScriptedRequest } from '../../src/scripted-model/scripted-request';

/** What a request says, a line a block: `user: hi`, `assistant: hello`, `result: …`. Standing context is left out. */
export function conversationOf(request: ScriptedRequest | undefined): readonly string[] {
  return (request?.body.messages ?? []).flatMap(({ role, content }) => {
    const blocks =
      typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return blocks.flatMap((block) => {
      if (block.type === 'tool_result') return `result: ${JSON.stringify(block.content)}`;
      if (block.type === 'tool_use') return `${role}: ${block.name}`;
      return block.type === 'text' && !block.text.startsWith('<') ? `${role}: ${block.text}` : [];
    });
  });
}

/** The system prompt of a request, as JSON; "" for none. */
export const systemOf = (request: ScriptedRequest): string =>
  JSON.stringify(request.body.system ?? '');
