import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { failpoint } from '../../failpoint/failpoint';
import type { ToolUse } from '../../loop/context';
import type { AssistantRecord } from '../../transcript/record';
import type { LogEntry } from '../../transcript/session-log';
import type { StreamId } from '../../transcript/stream-id';
import type { Tool } from '../../tools/tool';
import { checkEarly } from '../run-tool/early-check';
import { describeCall } from '../tool-catalog';
import type { ModelCall } from './call-model';
import { SILENCE_LIMIT_MS } from './silence-limit';
import { newBlockId, streamReply, type Delivery } from './stream-reply';

/** The records of a stream that are in the transcript. `cutOff`: somebody stopped it. */
export interface KeptStream {
  readonly kept: readonly AssistantRecord[];
  readonly cutOff: boolean;
}

/** One stream with its traces in the session log: deltas beside it, each block as it finishes, and what became
 *  of the whole: kept once it is committed, else taken back. */
export async function streamToLog(of: {
  readonly call: ModelCall;
  readonly request: MessageCreateParamsStreaming;
  readonly tools: readonly Tool[];
  readonly stream: StreamId;
  readonly delivery: Delivery;
  commit(records: readonly AssistantRecord[]): Promise<readonly AssistantRecord[]>;
}): Promise<KeptStream> {
  const { call, request, tools, stream, delivery } = of;
  const { queryId, facts, session, attempt } = call;
  const { store, lease, uncommitted } = session;
  const live = await store.log.openLive(lease, stream);
  await store.log.append(lease, [
    { type: 'stream_started', queryId, stream, turn: call.input.turn, live: live.name },
  ]);
  const told: string[] = [];
  let isKept = false;
  try {
    const { records, cutOff } = await streamReply({
      anthropic: call.deps.anthropic,
      request,
      delivery,
      attempt,
      stream,
      live,
      silenceLimitMs: call.deps.silenceLimitMs ?? SILENCE_LIMIT_MS,
      toRecord: (block, collector, parentUuid): AssistantRecord => {
        const { messageId, model, usage } = collector.reply();
        return {
          isSidechain: false,
          ...facts,
          type: 'assistant',
          uuid: newBlockId(),
          parentUuid,
          userType: 'external',
          message: {
            id: messageId,
            type: 'message',
            role: 'assistant',
            model,
            content: [block],
            stop_reason: null,
            stop_sequence: null,
            usage,
          },
          everloop: { stream, ...(model !== request.model && { askedModel: request.model }) },
        };
      },
      onBlock: async (record) => {
        told.push(record.uuid);
        uncommitted.set(record.uuid, record);
        await store.log.append(lease, [{ type: 'record', queryId, record, stream }]);
        if (call.hasToolChecks) checkWaiting(call, record, { tools, stream, told });
      },
      earlyCall: (record) => (call.input.early ? safeCall(record, tools, call.options) : null),
    });
    const kept = await of.commit(records);
    isKept = true;
    failpoint('model.committed');
    const leaf = kept.at(-1)?.uuid ?? '';
    await store.log.append(lease, [{ type: 'stream_committed', queryId, stream, leaf }]);
    return { kept, cutOff };
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : String(error);
    const discarded: LogEntry = { type: 'stream_discarded', queryId, stream, reason };
    // A reply that is committed will be adopted by the next attempt.
    if (!isKept) {
      for (const uuid of told) call.session.checked.delete(uuid);
      await store.log.append(lease, [discarded]).catch(() => undefined);
    }
    throw error;
  } finally {
    for (const uuid of told) uncommitted.delete(uuid);
    await live.close();
  }
}

/** Checks of a call that has to wait for its turn need not wait as well (spec/loop 24b). */
function checkWaiting(
  call: ModelCall,
  record: AssistantRecord,
  {
    tools,
    stream,
    told,
  }: {
    readonly tools: readonly Tool[];
    readonly stream: StreamId;
    /** Ids of the blocks so far. */
    readonly told: readonly string[];
  },
): void {
  const [block] = record.message.content;
  if (
    block?.type !== 'tool_use' ||
    (call.input.early && safeCall(record, tools, call.options) !== null)
  )
    return;
  const { options, place, input } = call;
  const { mode = options.permissionMode, workingDirectory = place.cwd } =
    input.toolUseContext ?? {};
  const toolInput = { call: { id: block.id, recordId: record.uuid }, mode, workingDirectory };
  const found = { name: block.name, input: block.input };
  const before = Promise.all(told.flatMap((uuid) => call.session.checked.get(uuid) ?? []));
  checkEarly({ ...call, input: toolInput, call: found }, tools, { stream, before });
}

function safeCall(
  record: AssistantRecord,
  tools: readonly Tool[],
  { uiDetail }: ModelCall['options'],
): ToolUse | null {
  const [block] = record.message.content;
  if (block?.type !== 'tool_use') return null;
  const toolUse = describeCall(tools, { ...block, recordId: record.uuid }, uiDetail);
  return toolUse.isConcurrencySafe ? toolUse : null;
}
