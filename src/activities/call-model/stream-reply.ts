import { randomUUID } from 'node:crypto';
import type Anthropic from '@anthropic-ai/sdk';
import type { Stream } from '@anthropic-ai/sdk/streaming';
import type {
  ContentBlock,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { betweenFailpoints, failpoint } from '../../failpoint/failpoint';
import type { ToolUse } from '../../loop/context';
import type { LiveWriter } from '../../transcript/store';
import type { AssistantRecord } from '../../transcript/record';
import { StoreError } from '../../transcript/store-error';
import { streamId, type StreamId } from '../../transcript/stream-id';
import type { Attempt } from '../attempt';
import { createSilenceLimit } from './silence-limit';
import { withRequestBody } from './request-body';
import { askWhole } from './whole-reply';
import { createBlockCollector, type BlockCollector } from './streamed-blocks';

/** How a reply comes: in a stream, or whole after a stream that broke (spec/loop 4.7, 4.11). */
export type Delivery = 'stream' | 'whole';

/** The stream had begun when it broke: asking for the whole reply at once may work. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

/** What a stream left behind. `cutOff`: it ended because somebody stopped it. */
export interface StreamOutcome {
  readonly stream: StreamId;
  /** One per finished block, linked, with the reply's usage and stop reason. */
  readonly records: readonly AssistantRecord[];
  readonly cutOff: boolean;
}

export interface StreamOptions {
  readonly anthropic: Anthropic;
  readonly request: MessageCreateParamsStreaming;
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly stream: StreamId;
  readonly live: LiveWriter;
  readonly silenceLimitMs: number;
  /** Makes the record of a finished block. */
  toRecord(
    block: ContentBlock,
    collector: BlockCollector,
    parentUuid: string | null,
  ): AssistantRecord;
  /** Called for each finished block, before the next event is read. */
  onBlock(record: AssistantRecord): Promise<void>;
  /** The call that a block makes, if it may start before the reply ends; null: it may not. */
  earlyCall(record: AssistantRecord): ToolUse | null;
}

/** Reads one stream to its end. Fails with whatever broke it; `stop` ends it normally, cut off. */
export async function streamReply(options: StreamOptions): Promise<StreamOutcome> {
  const { attempt, stream, live } = options;
  const collector = createBlockCollector();
  const records: AssistantRecord[] = [];
  const early: Promise<void>[] = [];
  let isOrderFree = true;
  let hasBegun = false;
  let chars = 0;
  /** The call that the block makes, if it may start early. */
  const keep = async (block: ContentBlock): Promise<ToolUse | null> => {
    const record = options.toRecord(block, collector, records.at(-1)?.uuid ?? null);
    records.push(record);
    await options.onBlock(record);
    failpoint('model.block');
    const call = isOrderFree ? options.earlyCall(record) : null;
    // A call that must run alone comes before all that follow it (spec/loop 4.15).
    if (block.type === 'tool_use' && call === null) isOrderFree = false;
    return call;
  };

  const silence = createSilenceLimit(options.silenceLimitMs);
  const { stop, over, forgotten } = attempt;
  const signal = AbortSignal.any([stop, over, forgotten, silence.signal]);
  try {
    const events = await betweenFailpoints('model.request', () => openEvents(options, signal));
    let held: ToolUse | null = null;
    for await (const event of events) {
      silence.heard();
      hasBegun = true;
      // A call starts early only if the reply goes on behind it: a reply with one call pays nothing.
      if (held !== null && event.type === 'content_block_start') {
        const ready = { activityId: attempt.activityId, stream, toolUse: held };
        // Not told is no harm: the reply tells of the call again.
        early.push(attempt.signalToolReady(ready).catch(() => undefined));
        held = null;
      }
      const block = collector.take(event);
      if (block !== null) held = await keep(block);
      live.write({ event, blocks: records.length });
      chars += charsIn(event);
      if (chars > 0) attempt.report?.(`the reply has ${chars} characters so far`);
    }
    signal.throwIfAborted();
    if (!collector.isComplete()) throw new Error('The stream ended in the middle of the reply.');
    await Promise.all(early);
  } catch (error) {
    await Promise.all(early);
    // The client tells of any abort in words of its own.
    if (over.aborted || forgotten.aborted) throw signal.reason;
    if (!stop.aborted) {
      // What cannot be kept is not asked for again: the model has done nothing wrong.
      if (error instanceof StoreError) throw error;
      const reason: unknown = silence.signal.aborted ? silence.signal.reason : error;
      if (options.delivery === 'whole' || !(hasBegun || silence.signal.aborted)) throw reason;
      throw new BrokenStream(reason instanceof Error ? reason.message : String(reason));
    }
    const partial = collector.partial();
    if (partial !== null) await keep(partial);
    return { stream, records: finished(records, collector), cutOff: true };
  } finally {
    silence.close();
  }
  return { stream, records: finished(records, collector), cutOff: false };
}

function openEvents(
  { anthropic, request, delivery }: StreamOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<RawMessageStreamEvent>> {
  return delivery === 'stream'
    ? withRequestBody(request, (body) =>
        anthropic.post<Stream<RawMessageStreamEvent>>('/v1/messages', {
          body,
          headers: { 'content-type': 'application/json' },
          stream: true,
          signal,
        }),
      )
    : askWhole(anthropic, request, signal);
}

/** Of text, thinking and the input of tools. */
function charsIn(event: RawMessageStreamEvent): number {
  if (event.type !== 'content_block_delta') return 0;
  const { delta } = event;
  switch (delta.type) {
    case 'text_delta':
      return delta.text.length;
    case 'thinking_delta':
      return delta.thinking.length;
    case 'input_json_delta':
      return delta.partial_json.length;
    case 'citations_delta':
    case 'signature_delta':
      return 0;
  }
}

/** Usage and stop reason are known at the end only, and belong to every record of the reply. */
function finished(
  records: readonly AssistantRecord[],
  collector: BlockCollector,
): AssistantRecord[] {
  const { usage, stopReason, stopSequence } = collector.reply();
  return records.map((record) => ({
    ...record,
    message: { ...record.message, usage, stop_reason: stopReason, stop_sequence: stopSequence },
  }));
}

export function newStreamId(attempt: Attempt, stream: number): StreamId {
  const { runId, activityId, number } = attempt;
  return streamId({ runId, activityId, attempt: number, stream });
}

export const newBlockId = (): string => randomUUID();
