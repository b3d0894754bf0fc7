import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { summaryPrompt } from '../activities/compact/summary-prompt';
import type { Reply, ReplyBlock } from '../scripted-model/reply';
import type { Script } from '../scripted-model/script';
import type { Conversation, CrashScript } from './crash-script';

/** Counts that do not depend on how often a request was sent: what the API's cache holds must not be a difference. */
const USAGE = {
  input_tokens: 1_000,
  output_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** A model that answers by what a request holds, never by when it comes: a request that a crash made the agent send
 *  again is answered as before. */
export function scriptedConversations({
  conversations,
  summary,
}: Pick<CrashScript, 'conversations' | 'summary'>): Script {
  return {
    match: 'conversation',
    script: ({ body: { messages } }, index) => {
      if (asksForSummary(messages)) return toSummary(summary);
      const first = textOf(messages[0]);
      const number = conversations.findIndex(({ contains = '' }) => first.includes(contains));
      const told = toolResultIn(messages.at(-1));
      return toReply(conversations[number], { number, index, first, told });
    },
  };
}

function toSummary(summary: string | undefined): Reply {
  if (summary !== undefined) return { content: [{ type: 'text', text: summary }], usage: USAGE };
  throw new Error('The context is full, and the script has no "summary". Add one.');
}

function toReply(
  conversation: Conversation | undefined,
  at: {
    readonly number: number;
    readonly index: number;
    readonly first: string;
    readonly told: string;
  },
): Reply {
  const reply = conversation?.replies[at.index];
  if (reply === undefined) {
    const which = conversation === undefined ? 'no conversation' : `${at.index} replies`;
    throw new Error(
      `The script has ${which} for a request that begins with ${JSON.stringify(at.first.slice(0, 80))} and holds ${at.index} replies. Add what the model says.`,
    );
  }
  const content = reply.content?.map((block, place) =>
    told(named(block, `toolu_${at.number}_${at.index}_${place}`), at.told),
  );
  return { ...reply, content, usage: { ...USAGE, ...reply.usage } };
}

/** Two conversations are at the same place at times: their calls must not have the same id. */
const named = (block: ReplyBlock, id: string): ReplyBlock =>
  block.type === 'tool_use' ? { ...block, id: block.id ?? id } : block;

/** So that an answer can hold what a tool has really found. */
const told = (block: ReplyBlock, result: string): ReplyBlock =>
  block.type === 'text'
    ? { ...block, text: block.text.replaceAll('{{tool_result}}', () => result) }
    : block;

function toolResultIn(message: MessageParam | undefined): string {
  const blocks = typeof message?.content === 'string' ? [] : (message?.content ?? []);
  const content = blocks.findLast((block) => block.type === 'tool_result')?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

const SUMMARY_PROMPT = summaryPrompt([]);

const asksForSummary = (messages: readonly MessageParam[]): boolean =>
  textOf(messages.at(-1)).includes(SUMMARY_PROMPT);

function textOf(message: MessageParam | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
