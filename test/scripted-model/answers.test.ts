import type { Reply } from '../../src/scripted-model/reply';
import { ask, withModel } from './with-model';

const EVERY_BLOCK: Reply = {
  content: [
    { type: 'thinking', thinking: 'Let me see. '.repeat(50), signature: 'signed' },
    { type: 'redacted_thinking', data: 'b64' },
    { type: 'text', text: `${'long enough for several deltas '.repeat(10)}😀` },
    { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a "b"\n' } },
    { type: 'tool_use', name: 'Ls' },
  ],
};

const EVERY_BLOCK_AT_THE_CLIENT = [
  ...(EVERY_BLOCK.content ?? []).slice(0, 4),
  { type: 'tool_use', id: 'toolu_scripted_0_4', name: 'Ls', input: {} },
];

describe('answers of the scripted model', () => {
  test('a streamed reply arrives block by block as scripted', async () => {
    await withModel({ script: [EVERY_BLOCK] }, async (model, client) => {
      const message = await client.messages.stream(ask()).finalMessage();

      expect(message.content).toMatchObject(EVERY_BLOCK_AT_THE_CLIENT);
      expect(message.stop_reason).toBe('tool_use');
      expect(model.requests[0]?.outcome).toBe('answered');
      model.assertConsumed();
    });
  });

  test('the same reply without a stream is the same message', async () => {
    await withModel({ script: [EVERY_BLOCK] }, async (_, client) => {
      const message = await client.messages.create(ask());

      expect(message.content).toEqual(EVERY_BLOCK_AT_THE_CLIENT);
      expect(message.stop_reason).toBe('tool_use');
    });
  });

  test('no delta ends inside a character', async () => {
    const text = '😀'.repeat(40);
    await withModel(
      { script: [{ content: [{ type: 'text', text }], deltaChars: 3 }] },
      async (_, client) => {
        const pieces: string[] = [];

        await client.messages
          .stream(ask())
          .on('text', (piece) => pieces.push(piece))
          .done();

        expect(pieces).toEqual(Array.from({ length: 20 }, () => '😀😀'));
      },
    );
  });

  test('every answer says that it is scripted, in header, model and ids', async () => {
    const script: Reply[] = [{ content: [] }, { error: { type: 'api_error' } }];
    await withModel({ script }, async (model, client) => {
      const { data, response } = await client.messages.create(ask()).withResponse();
      const failed = await fetch(`${model.url}/v1/messages`, { method: 'POST', body: '{}' });

      expect(data).toMatchObject({ model: 'scripted-model', id: 'msg_scripted_0' });
      expect(response.headers.get('x-everloop-scripted-model')).toBe('1');
      expect(failed.headers.get('x-everloop-scripted-model')).toBe('1');
    });
  });

  test('a script function sees the request and decides the reply', async () => {
    const script = (request: { body: { max_tokens: number } }): Reply => ({
      content: [{ type: 'text', text: `limit ${request.body.max_tokens}` }],
      stop_reason: 'max_tokens',
      model: 'other',
    });
    await withModel({ script }, async (_, client) => {
      const message = await client.messages.create(ask());

      expect(message).toMatchObject({
        model: 'other',
        stop_reason: 'max_tokens',
        content: [{ text: 'limit 100' }],
      });
    });
  });

  test('a tool input of 1 MB arrives whole', async () => {
    const input = { content: 'x'.repeat(1_000_000) };
    const script: Reply[] = [{ content: [{ type: 'tool_use', name: 'Write', input }] }];
    await withModel({ script }, async (_, client) => {
      const message = await client.messages.stream(ask()).finalMessage();

      expect(message.content).toMatchObject([{ input }]);
    });
  });

  test('count_tokens measures the body and uses no reply', async () => {
    await withModel({ script: [] }, async (model, client) => {
      const { input_tokens } = await client.messages.countTokens({
        model: 'any',
        messages: [{ role: 'user', content: 'x'.repeat(4_000) }],
      });

      expect(input_tokens).toBe(Math.ceil((model.otherRequests[0]?.bodyBytes ?? 0) / 4));
      expect(input_tokens).toBeGreaterThan(1_000);
      expect(model.requests).toHaveLength(0);
    });
  });

  test('an unknown path → 404 that lists the known ones', async () => {
    await withModel({ script: [] }, async (model) => {
      const response = await fetch(`${model.url}/v1/models`);

      expect(response.status).toBe(404);
      expect(await response.text()).toContain('POST /v1/messages');
    });
  });

  test('headers, body and time of a request are kept; its body can be let go', async () => {
    await withModel({ script: [{}, {}] }, async (model, client) => {
      const before = Date.now();
      await client.messages.create(ask(), { headers: { 'x-mine': 'yes' } });
      const request = await model.waitForRequest(0);

      expect(request.headers['x-mine']).toBe('yes');
      expect(request.body).toEqual(ask());
      expect(request.rawBody.toString()).toBe(JSON.stringify(ask()));
      expect(request.arrivedAtMs).toBeGreaterThanOrEqual(before);
      request.dropBody();
      expect(() => request.body).toThrow('keepBodies: true');
      expect(request.bodyBytes).toBe(JSON.stringify(ask()).length);
    });
  });

  test('without keepBodies the bodies of answered requests are gone', async () => {
    await withModel({ script: [{}], keepBodies: false }, async (model, client) => {
      await client.messages.create(ask());
      await model.requests[0]?.ended;

      expect(() => model.requests[0]?.rawBody).toThrow('was dropped after the answer');
    });
  });

  test.each([
    ['at the end', '{"messages":[],"stream":true}', true],
    ['elsewhere', '{"stream": true ,"messages":[]}', true],
    ['false', '{"messages":[],"stream":false}', false],
    ['in a tool input only', '{"messages":[{"content":[{"input":{"stream":true}}]}],"x":1}', false],
    ['absent', '{"messages":[]}', false],
  ])('stream %s is understood from the bytes', async (_, body, isStream) => {
    await withModel({ script: [{}] }, async (model) => {
      const response = await fetch(`${model.url}/v1/messages`, { method: 'POST', body });

      const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json';
      expect(response.headers.get('content-type')).toBe(type);
    });
  });
});
