import type { ContentBlock, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { createBlockCollector } from '../activities/call-model/streamed-blocks';
import { syntheticReply } from '../activities/new-record';
import { describeCall } from '../activities/tool-catalog';
import type { ToolUse } from '../loop/context';
import type { AssistantRecord } from '../transcript/record';
import type { Run } from './run';

/** A reply while it streams: one record per finished block, chained when it is whole or was stopped. */
export interface OpenReply {
  /** The call that the event finished, if it may start before the reply ends. */
  take(event: RawMessageStreamEvent): ToolUse | null;
  isComplete(): boolean;
  /** Keeps what came of the block that was cut off. */
  cutOff(): void;
  commit(): readonly AssistantRecord[];
}

/** `askedModel`: the answer may name it otherwise. */
export function openReply(
  { transcript, tools, facts }: Run,
  requestLeaf: string,
  askedModel: string,
): OpenReply {
  const startedAtMs = Date.now();
  const collector = createBlockCollector();
  const blocks: AssistantRecord[] = [];
  let isOrderFree = true;
  const keep = (block: ContentBlock): AssistantRecord => {
    const { messageId: id, model } = collector.reply();
    const { message, ...record } = syntheticReply(facts(), { text: '' });
    const content = [block];
    const kept = {
      ...record,
      isApiErrorMessage: false,
      message: { ...message, id, model, content },
    };
    blocks.push(kept);
    transcript.hold(kept);
    return kept;
  };

  return {
    take(event) {
      const block = collector.take(event);
      if (block === null) return null;
      const { uuid: recordId } = keep(block);
      if (block.type !== 'tool_use') return null;
      const toolUse = describeCall(tools, { ...block, recordId });
      // A call that must run alone comes before all that follow it (spec/loop 4.15).
      isOrderFree &&= toolUse.isConcurrencySafe;
      return isOrderFree ? toolUse : null;
    },
    isComplete: () => collector.isComplete(),
    cutOff() {
      const partial = collector.partial();
      if (partial !== null) keep(partial);
    },
    commit() {
      // Usage and stop reason are known at the end only, and belong to every record of the reply.
      const { usage, stopReason: stop_reason, stopSequence: stop_sequence } = collector.reply();
      const everloop = { apiMs: Date.now() - startedAtMs, askedModel };
      const whole = blocks.map((record) => ({
        ...record,
        message: { ...record.message, usage, stop_reason, stop_sequence },
        everloop,
      }));
      return transcript.append(requestLeaf, whole);
    },
  };
}
