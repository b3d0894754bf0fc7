import Anthropic from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import {
  STATUS_OF_ERROR,
  type ErrorType,
  type Interruption,
  type Reply,
} from '../../src/scripted-model/reply';
import { ask, withModel } from './with-model';

const TWO_BLOCKS: Reply = {
  content: [
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two, '.repeat(20) },
  ],
  deltaChars: 20,
};

const broken = (interruption: Interruption): Reply[] => [
  { ...TWO_BLOCKS, interruptions: [interruption] },
];

/** Breaks once the client has said, by releasing the gate `seen`, that it has what came before. */
const brokenWhenSeen = (place: Pick<Interruption, 'afterBlocks' | 'afterDeltas'>): Reply[] => [
  {
    ...TWO_BLOCKS,
    interruptions: [
      { type: 'hold', name: 'seen', ...place },
      { type: 'cut', ...place },
    ],
  },
];

/** Reads the stream to its end or its break. */
async function read(
  client: Anthropic,
  onEvent?: (count: number) => unknown,
): Promise<{ types: string[]; error: unknown }> {
  const types: string[] = [];
  try {
    const stream = await client.messages.create({ ...ask(), stream: true });
    for await (const event of stream) {
      types.push(nameOf(event));
      onEvent?.(types.length);
    }
    return { types, error: null };
  } catch (error) {
    return { types, error };
  }
}

const nameOf = ({ type }: RawMessageStreamEvent): string => type.replace('content_block_', '');

describe('faults of the scripted model', () => {
  test.each([
    ['invalid_request_error', Anthropic.BadRequestError],
    ['authentication_error', Anthropic.AuthenticationError],
    ['permission_error', Anthropic.PermissionDeniedError],
    ['not_found_error', Anthropic.NotFoundError],
    ['rate_limit_error', Anthropic.RateLimitError],
    ['api_error', Anthropic.InternalServerError],
    ['overloaded_error', Anthropic.InternalServerError],
  ] as const)('%s → the error class of the client', async (type: ErrorType, Class) => {
    await withModel({ script: [{ error: { type, message: 'no' } }] }, async (_, client) => {
      const error: unknown = await client.messages.create(ask()).catch((e: unknown) => e);

      expect(error).toBeInstanceOf(Class);
      expect(error).toMatchObject({ status: STATUS_OF_ERROR[type], type, apiMessage: 'no' });
    });
  });

  test('an error bears scripted headers and status', async () => {
    const script: Reply[] = [
      { error: { type: 'api_error', status: 503 }, headers: { 'retry-after': '7' } },
    ];
    await withModel({ script }, async (_, client) => {
      const error: unknown = await client.messages.create(ask()).catch((e: unknown) => e);

      expect(error).toMatchObject({ status: 503, requestID: 'req_scripted_0' });
      expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe(
        '7',
      );
    });
  });

  test('a cut at once → connection error without an answer', async () => {
    await withModel({ script: [{ cut: 'at_once' }] }, async (model, client) => {
      const { types, error } = await read(client);

      expect(types).toEqual([]);
      expect(error).toBeInstanceOf(Anthropic.APIConnectionError);
      expect(model.requests[0]?.outcome).toBe('cut');
    });
  });

  test('a cut after a block lets that block through and no more', async () => {
    await withModel({ script: brokenWhenSeen({ afterBlocks: 1 }) }, async (model, client) => {
      const { types, error } = await read(client, (count) => count === 4 && model.release('seen'));

      expect(types).toEqual(['message_start', 'start', 'delta', 'stop']);
      expect(error).toMatchObject({ message: 'terminated' });
      expect(model.requests[0]?.outcome).toBe('cut');
    });
  });

  test('a cut after the third delta falls inside the second block', async () => {
    await withModel({ script: brokenWhenSeen({ afterDeltas: 3 }) }, async (model, client) => {
      const { types } = await read(client, (count) => count === 7 && model.release('seen'));

      const first = ['message_start', 'start', 'delta', 'stop'];
      expect(types).toEqual([...first, 'start', 'delta', 'delta']);
    });
  });

  test('an error event ends the stream with its type', async () => {
    const script = broken({ type: 'error', afterBlocks: 1, error: 'overloaded_error' });
    await withModel({ script }, async (_, client) => {
      const { types, error } = await read(client);

      expect(types.at(-1)).toBe('stop');
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error).toMatchObject({ type: 'overloaded_error' });
    });
  });

  test('an error event takes the form of a status when there is no stream', async () => {
    const script = broken({ type: 'error', afterBlocks: 1, error: 'overloaded_error' });
    await withModel({ script }, async (_, client) => {
      await expect(client.messages.create(ask())).rejects.toMatchObject({ status: 529 });
    });
  });

  test('a cut without a stream → connection error', async () => {
    await withModel({ script: broken({ type: 'cut', afterBlocks: 1 }) }, async (_, client) => {
      await expect(client.messages.create(ask())).rejects.toBeInstanceOf(
        Anthropic.APIConnectionError,
      );
    });
  });

  test('a stalled stream lasts until the client leaves, and the model knows', async () => {
    await withModel(
      { script: broken({ type: 'stall', afterBlocks: 1 }) },
      async (model, client) => {
        const stream = await client.messages.create({ ...ask(), stream: true });
        for await (const event of stream) if (event.type === 'content_block_stop') break;
        await model.requests[0]?.ended;

        expect(model.requests[0]?.clientLeft).toBe(true);
        expect(model.requests[0]?.endedAtMs).toBeGreaterThan(0);
      },
    );
  });

  test('garbage in the stream reaches the parser of the client', async () => {
    const script = broken({
      type: 'garbage',
      afterBlocks: 1,
      text: 'event: message_delta\ndata: {{\n\n',
    });
    await withModel({ script }, async (_, client) => {
      const { error } = await read(client);

      expect(error).toBeInstanceOf(SyntaxError);
    });
  });

  test('broken tool input arrives as it was written', async () => {
    const script: Reply[] = [
      { content: [{ type: 'tool_use', name: 'Read', rawJson: '{"file_path": "/a' }] },
    ];
    await withModel({ script }, async (_, client) => {
      let json = '';
      const stream = await client.messages.create({ ...ask(), stream: true });
      for await (const event of stream)
        if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
          json += event.delta.partial_json;

      expect(json).toBe('{"file_path": "/a');
    });
  });

  test('delays add up before, between and after the pieces', async () => {
    const script: Reply[] = [{ ...TWO_BLOCKS, delayMs: 40, deltaDelayMs: 10, afterBlockMs: 20 }];
    await withModel({ script }, async (model, client) => {
      const { error } = await read(client);
      await model.requests[0]?.ended;
      const { arrivedAtMs = 0, endedAtMs = 0 } = model.requests[0] ?? {};

      expect(error).toBeNull();
      // Six deltas, two blocks; timers may fire a little early.
      expect((endedAtMs ?? 0) - arrivedAtMs).toBeGreaterThanOrEqual(120);
    });
  });

  test('an interruption whose place never comes breaks the answer and is reported', async () => {
    await withModel({ script: broken({ type: 'cut', afterDeltas: 99 }) }, async (model, client) => {
      const { error } = await read(client);

      expect(error).not.toBeNull();
      expect(() => model.assertConsumed()).toThrow('the reply has 2 blocks and 6 deltas');
    });
  });
});
