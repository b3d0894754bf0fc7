import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ToolUse } from '../../loop/context';
import type { AssistantRecord } from '../../transcript/record';
import type { StreamId } from '../../transcript/stream-id';
import type { Tool } from '../../tools/tool';
import { describeCall } from '../tool-catalog';
import type { ModelCall } from './call-model';
import { newBlockId, streamReply, type StreamOutcome } from './stream-reply';

/** One stream with its traces in the session log: deltas beside it, each block as it finishes, and what became
 *  of the whole. A stream that broke is taken back there. */
export async function streamToLog(of: {
  readonly call: ModelCall;
  readonly request: MessageCreateParamsStreaming;
  readonly tools: readonly Tool[];
  readonly stream: StreamId;
}): Promise<StreamOutcome> {
  const { call, request, tools, stream } = of;
  const { queryId, facts, session, attempt } = call;
  const { store, lease, uncommitted } = session;
  const live = await store.log.openLive(lease, stream);
  await store.log.append(lease, [
    { type: 'stream_started', queryId, stream, turn: call.input.turn, live: live.name },
  ]);
  try {
    const outcome = await streamReply({
      anthropic: call.deps.anthropic,
      request,
      attempt,
      stream,
      live,
      toRecord: (block, collector, parentUuid): AssistantRecord => {
        const { messageId, model, usage } = collector.reply();
        return {
          ...facts,
          type: 'assistant',
          uuid: newBlockId(),
          parentUuid,
          userType: 'external',
          isSidechain: false,
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
          everloop: { stream },
        };
      },
      onBlock: async (record) => {
        uncommitted.set(record.uuid, record);
        await store.log.append(lease, [{ type: 'record', queryId, record, stream }]);
      },
      earlyCall: (record) => (call.input.early ? safeCall(record, tools) : null),
    });
    const leaf = outcome.records.at(-1)?.uuid ?? '';
    await store.log.append(lease, [{ type: 'stream_committed', queryId, stream, leaf }]);
    return outcome;
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : String(error);
    await store.log
      .append(lease, [{ type: 'stream_discarded', queryId, stream, reason }])
      .catch(() => undefined);
    throw error;
  } finally {
    await live.close();
  }
}

function safeCall(record: AssistantRecord, tools: readonly Tool[]): ToolUse | null {
  const [block] = record.message.content;
  if (block?.type !== 'tool_use') return null;
  const toolUse = describeCall(tools, { ...block, recordId: record.uuid });
  return toolUse.isConcurrencySafe ? toolUse : null;
}
