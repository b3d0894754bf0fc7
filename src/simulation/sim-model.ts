import type Anthropic from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { Scheduler } from './scheduler';

/** What a reply is to ask for. */
export interface PlannedCall {
  readonly name: string;
}

export interface NamedCall extends PlannedCall {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A client of the Messages API that answers with the calls, or with a text if there are none. `calls` is asked at
 *  each request: a reply that is asked for again is another one. */
export function simulatedModel(scheduler: Scheduler, calls: () => readonly NamedCall[]): Anthropic {
  const post = async () => {
    const events = eventsOf(calls());
    await scheduler.step('asks the model', () => undefined);
    return stream(scheduler, events);
  };
  // All that the product uses of the client.
  return { post } as unknown as Anthropic;
}

async function* stream(
  scheduler: Scheduler,
  events: readonly RawMessageStreamEvent[],
): AsyncGenerator<RawMessageStreamEvent> {
  for (const event of events) {
    await scheduler.step(`reads ${event.type}`, () => undefined);
    yield event;
  }
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

function eventsOf(calls: readonly NamedCall[]): readonly RawMessageStreamEvent[] {
  const blocks = calls.flatMap(({ id, name, input }, index) => [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name, input: {} },
    },
    {
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    },
    { type: 'content_block_stop', index },
  ]);
  const text = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Done.' } },
    { type: 'content_block_stop', index: 0 },
  ];
  const hasCalls = calls.length > 0;
  const events = [
    {
      type: 'message_start',
      message: { id: `msg-${calls[0]?.id ?? 'end'}`, model: 'simulated', usage: USAGE },
    },
    ...(hasCalls ? blocks : text),
    {
      type: 'message_delta',
      delta: { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: USAGE,
    },
    { type: 'message_stop' },
  ];
  return events as unknown as readonly RawMessageStreamEvent[];
}
