import type { AgentMessage, AgentTurn } from '../../agent/agent-hooks';
import type { AssistantRecord, TranscriptRecord } from '../../transcript/record';
import { toContextMessages } from '../conversation/context-messages';
import type { EndTurnInput } from '../interface';
import type { QueryCall } from '../query-call';

/** The turn behind `leaf` as hooks see it: its results are in the ledger, not yet in the transcript. */
export async function agentTurn(
  { session }: QueryCall,
  { leaf, willGoOn, model }: EndTurnInput,
): Promise<AgentTurn> {
  const { store } = session;
  const chain = await store.chain(leaf);
  const reply = replyAtEnd(chain);
  const results: TranscriptRecord[] = [];
  for (const { uuid: recordId, message } of reply) {
    for (const block of message.content) {
      if (block.type !== 'tool_use') continue;
      const entry = await store.ledger.find({ id: block.id, recordId });
      if (entry?.result !== undefined) results.push(entry.result.record);
    }
  }
  const toMessages = (records: readonly TranscriptRecord[]): readonly AgentMessage[] =>
    toContextMessages(records, model);
  const toolResults = toMessages(results);
  return {
    message: { role: 'assistant', content: toMessages(reply).flatMap(blocksOf) },
    toolResults,
    messages: [...toMessages(chain), ...toolResults],
    willGoOn,
  };
}

/** The records of the reply that ends the chain, one block each. */
function replyAtEnd(chain: readonly TranscriptRecord[]): readonly AssistantRecord[] {
  const last = chain.at(-1);
  if (last?.type !== 'assistant') return [];
  return chain.filter(
    (record): record is AssistantRecord =>
      record.type === 'assistant' && record.message.id === last.message.id,
  );
}

const blocksOf = ({ content }: AgentMessage) => (typeof content === 'string' ? [] : content);
