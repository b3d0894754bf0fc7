import type { AssistantRecord, TranscriptRecord, UserRecord } from '../record';

/** Claude Code hangs each result behind the record of its call. Of calls that ran side by side, a chain of parents
 *  then leads through one branch: the other calls of the reply, and their results, are beside it. Returns the chain
 *  with them, all calls of a reply before all its results. What everloop wrote is one line already. */
export function withParallelCalls(
  chain: readonly TranscriptRecord[],
  all: () => Iterable<TranscriptRecord>,
): readonly TranscriptRecord[] {
  const replies = new Set(chain.filter(isForeignReply).map(({ message }) => message.id));
  if (!chain.some((record) => isForeignReply(record) && callsOf(record).length > 0)) return chain;
  const blocks = new Map<string, AssistantRecord[]>();
  const results = new Map<string, UserRecord>();
  for (const record of all()) {
    if (isForeignReply(record) && replies.has(record.message.id)) {
      blocks.set(record.message.id, [...(blocks.get(record.message.id) ?? []), record]);
    }
    if (record.type !== 'user') continue;
    for (const id of resultsIn(record)) if (!results.has(id)) results.set(id, record);
  }
  const placed = new Set<string>();
  return chain.flatMap((record) => {
    if (placed.has(record.uuid)) return [];
    const reply = isForeignReply(record) ? (blocks.get(record.message.id) ?? []) : [];
    const answers = reply.flatMap(callsOf).flatMap((id) => results.get(id) ?? []);
    const group = answers.length === 0 ? [record] : [...new Set([...reply, ...answers])];
    for (const { uuid } of group) placed.add(uuid);
    return group;
  });
}

function isForeignReply(record: TranscriptRecord): record is AssistantRecord {
  return (
    record.type === 'assistant' &&
    record.everloop === undefined &&
    Array.isArray(record.message.content)
  );
}

const callsOf = ({ message: { content } }: AssistantRecord): readonly string[] =>
  content.flatMap((block) => (block.type === 'tool_use' ? block.id : []));

const resultsIn = ({ message: { content } }: UserRecord): readonly string[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : []));
