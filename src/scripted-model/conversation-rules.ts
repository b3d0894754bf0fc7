import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';

/** The rules of the Messages API that an agent breaks most easily: who speaks first, and that each tool_use has
 *  its tool_result in the very next message.
 *  Fails: Error that names the message and the rule; the API answers 400. */
export function requireValidConversation(messages: readonly MessageParam[]): void {
  if (messages.length === 0) throw new Error('messages: at least one message is required.');
  const turns = turnsOf(messages);
  if (turns[0]?.role !== 'user')
    throw new Error('messages: the first message must be a user message.');
  let asked: readonly string[] = [];
  turns.forEach(({ blocks }, index) => {
    requireContent(blocks, index, index === turns.length - 1);
    const answered = blocks.flatMap((it) => (it.type === 'tool_result' ? [it.tool_use_id] : []));
    requirePairs(asked, answered, index);
    asked = blocks.flatMap((it) => (it.type === 'tool_use' ? [it.id] : []));
  });
  if (asked.length > 0)
    throw new Error(`messages: tool_use ${asked.join(', ')} at the end has no tool_result.`);
}

interface Turn {
  readonly role: MessageParam['role'];
  readonly blocks: ContentBlockParam[];
}

/** The API joins neighbours of one role before it looks at them. */
function turnsOf(messages: readonly MessageParam[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks: readonly ContentBlockParam[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}

function requireContent(
  blocks: readonly ContentBlockParam[],
  index: number,
  isLast: boolean,
): void {
  if (blocks.length === 0 && !isLast) throw new Error(`turn ${index}: content must not be empty.`);
  if (blocks.some((it) => it.type === 'text' && it.text.trim() === ''))
    throw new Error(`turn ${index}: text blocks must hold more than white space.`);
}

function requirePairs(asked: readonly string[], answered: readonly string[], index: number): void {
  const missing = asked.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    throw new Error(
      `turn ${index}: tool_use ${missing.join(', ')} has no tool_result right after it.`,
    );
  const orphans = answered.filter((id) => !asked.includes(id));
  if (orphans.length > 0)
    throw new Error(
      `turn ${index}: tool_result ${orphans.join(', ')} has no tool_use right before it.`,
    );
  if (new Set(answered).size < answered.length)
    throw new Error(`turn ${index}: a tool_use has two tool_results (${answered.join(', ')}).`);
}
