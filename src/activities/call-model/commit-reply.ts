import type { Reply } from '../../loop/outcomes';
import type { AssistantRecord, TranscriptRecord } from '../../transcript/record';
import type { Tool } from '../../tools/tool';
import type { ModelCall } from './call-model';
import { replyOf } from './outcome';

/** Writes a reply into the transcript: all of it in one append, on disk before anybody may name it. */
export async function commitReply(
  call: ModelCall,
  records: readonly AssistantRecord[],
): Promise<readonly AssistantRecord[]> {
  if (records.length === 0) return [];
  const { store, lease } = call.session;
  const kept = await store.append(lease, replyKey(call), records);
  return kept.filter(isReply);
}

/** The reply that an attempt before this one committed and could not report; null: there is none. */
export async function adoptReply(call: ModelCall, tools: readonly Tool[]): Promise<Reply | null> {
  const { session, queryId } = call;
  const { store, lease } = session;
  const records = (await store.findAppended(replyKey(call)))?.filter(isReply);
  if (records === undefined) return null;
  const reply = replyOf(records, tools, call);
  const { stream, leaf } = reply;
  // That attempt may have died before it told observers. They know what they have heard already.
  await store.log.append(
    lease,
    stream === ''
      ? records.map((record) => ({ type: 'record', queryId, record }))
      : [{ type: 'stream_committed', queryId, stream, leaf }],
  );
  return reply;
}

const replyKey = ({ attempt }: ModelCall): string => `${attempt.key}:reply`;

const isReply = (record: TranscriptRecord): record is AssistantRecord =>
  record.type === 'assistant';
