import type { AttachmentRecord, TranscriptRecord, UserRecord } from '../../transcript/record';
import type { ConversationStart } from '../deps';
import { attachmentRecord } from '../new-record';
import { todosFileOf } from '../todos-file';
import type { ModelCall } from './call-model';

/** Stage 5, second half: what files, memory and skills have to say beside the results of a turn, or to a new
 *  prompt (spec/loop 8). A source that fails has nothing to say. */
export async function turnAttachments(
  call: ModelCall,
  of: {
    readonly added: readonly TranscriptRecord[];
    readonly leaf: string | null;
    readonly offered: readonly string[];
    readonly start: ConversationStart;
  },
): Promise<readonly AttachmentRecord[]> {
  const { session, deps, facts, place, promptId } = call;
  const { added, leaf, offered, start } = of;
  const { store, lease } = session;
  const newResults = added.filter(isResult);
  const isPrompted = added.some(({ uuid, type }) => uuid === promptId && type === 'user');
  if (newResults.length === 0 && !isPrompted) return [];
  const before = leaf === null ? [] : await store.chain(leaf);
  const attachments = await deps.surroundings.turnAttachments({
    place,
    queryId: promptId,
    chain: [...before, ...added],
    newResults,
    userContext: start.userContext,
    startedAt: store.meta.createdAt,
    hosts: start.host === undefined ? null : { now: lease.owner.host, began: start.host },
    shellsFolder: store.folderPath('shells'),
    todosFile: todosFileOf(call),
    now: deps.now(),
    offeredTools: offered,
  });
  return attachments.map(({ type, text, filesSeen: files, keys }) => ({
    ...attachmentRecord(facts, type, text),
    everloop: { files, attached: { source: type, keys } },
  }));
}

const isResult = (record: TranscriptRecord): record is UserRecord =>
  record.type === 'user' &&
  typeof record.message.content !== 'string' &&
  record.message.content.some(({ type }) => type === 'tool_result');
