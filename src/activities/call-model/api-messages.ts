import type {
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { TranscriptRecord } from '../../transcript/record';

/** The conversation as the API sees it (spec/loop 5.14): neighbours of one role merged, results first and one
 *  per call, synthetic messages left out. Deterministic, so that the prefix of a request never changes. */
export function toApiMessages(
  chain: readonly TranscriptRecord[],
  userContext: string | null,
): MessageParam[] {
  const messages: MutableMessage[] = [];
  if (userContext !== null) add(messages, 'user', [{ type: 'text', text: userContext }]);
  for (const record of chain) {
    const part = partOf(record);
    if (part !== null) add(messages, part.role, part.content);
  }
  return pairCalls(messages);
}

interface MutableMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

interface Part {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlockParam[];
}

function partOf(record: TranscriptRecord): Part | null {
  switch (record.type) {
    case 'user':
      return { role: 'user', content: blocksOf(record.message.content) };
    case 'attachment':
      return { role: 'user', content: record.attachment.content };
    case 'assistant':
      return record.isApiErrorMessage === true
        ? null
        : {
            role: 'assistant',
            content: record.message.content.filter(isSendable) as ContentBlockParam[],
          };
    case 'system':
      return null;
  }
}

const blocksOf = (content: string | readonly ContentBlockParam[]): readonly ContentBlockParam[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** The API refuses empty texts. */
const isSendable = (block: { readonly type: string; readonly text?: string }): boolean =>
  block.type !== 'text' || block.text !== '';

function add(
  messages: MutableMessage[],
  role: Part['role'],
  content: readonly ContentBlockParam[],
): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content: [...content] });
}

/** Results stand first in the message behind their calls; a call without one gets one, a stray one goes. */
function pairCalls(messages: readonly MutableMessage[]): MessageParam[] {
  const paired: MessageParam[] = [];
  let open: readonly string[] = [];
  for (const { role, content } of messages) {
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
    if (answers.length + rest.length > 0) paired.push({ role, content: [...answers, ...rest] });
  }
  if (open.length > 0) paired.push({ role: 'user', content: open.map(missingResult) });
  return paired;
}

const missingResult = (id: string): ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'No result of this call was recorded.',
  is_error: true,
});
