import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import { withRequestBody } from '../../../src/activities/call-model/request-body';

type Messages = MessageCreateParamsStreaming['messages'];

const requestOf = (messages: Messages): MessageCreateParamsStreaming => ({
  model: 'claude-sonnet-4-6',
  max_tokens: 8_000,
  stream: true,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages,
  tools: [],
});

const textOf = (request: MessageCreateParamsStreaming): Promise<string> =>
  withRequestBody(request, (body) => Promise.resolve(Buffer.from(body).toString()));

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const anyMessages: fc.Arbitrary<Messages> = fc.array(
  fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.oneof(
      anyText,
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text' as const), text: anyText }),
          fc.record({
            type: fc.constant('tool_use' as const),
            id: fc.uuid(),
            name: fc.constant('Bash'),
            input: fc.object({ maxDepth: 2 }),
          }),
        ),
        { maxLength: 4 },
      ),
    ),
  }),
  { maxLength: 5 },
);

test('the bytes are those of JSON.stringify, the second time too', () =>
  fc.assert(
    fc.asyncProperty(anyMessages, async (messages) => {
      const request = requestOf(messages);

      expect(await textOf(request)).toBe(JSON.stringify(request));
      expect(await textOf(request)).toBe(JSON.stringify(request));
    }),
  ));

test('what is undefined is left out', async () => {
  const request = { ...requestOf([]), thinking: undefined } as never;

  expect(await textOf(request)).toBe(JSON.stringify(request));
});

test('half a character is sent as the sign for a missing one; what only looks like half of one stays', async () => {
  const halved: Messages = [
    { role: 'user', content: 'cut \ud83d off' },
    { role: 'user', content: [{ type: 'text', text: 'cut \ud83d off, \\ud83d written' }] },
  ];

  expect(JSON.parse(await textOf(requestOf(halved)))).toMatchObject({
    messages: [
      { content: 'cut \ufffd off' },
      { content: [{ text: 'cut \ufffd off, \\ud83d written' }] },
    ],
  });
});

test('requests at the same time do not write into each other', async () => {
  const requests = Array.from({ length: 20 }, (_, index) =>
    requestOf([{ role: 'user', content: `${index}`.repeat(index * 10_000) }]),
  );
  const sent = await Promise.all(
    requests.map((request) =>
      withRequestBody(request, async (body) => {
        await new Promise((resolve) => setImmediate(resolve));
        return Buffer.from(body).toString();
      }),
    ),
  );

  expect(sent).toEqual(requests.map((request) => JSON.stringify(request)));
});

test('a request that fails leaves the next one whole', async () => {
  const failing = withRequestBody(requestOf([{ role: 'user', content: 'x'.repeat(99_999) }]), () =>
    Promise.reject(new Error('No connection.')),
  );
  const request = requestOf([{ role: 'user', content: 'Hi.' }]);

  await expect(failing).rejects.toThrow('No connection.');
  expect(await textOf(request)).toBe(JSON.stringify(request));
});
