// Needs a port on 127.0.0.1, for a scripted Messages API.
import { agentLoop, streamAnthropic, type Context, type Model } from '../../src/pi';
import { withModel } from '../scripted-model/with-model';
import { call, calls, configWith, contextWith, MODEL, read, result, tool, user } from './builders';

const modelAt = (baseUrl: string): Model => ({
  ...MODEL,
  api: 'anthropic-messages',
  baseUrl,
  reasoning: false,
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
});
const options = { apiKey: 'none', maxRetries: 0 };
const prompt: Context = { systemPrompt: 'Be brief.', messages: [user('hi')] };

test('a run that names no stream function speaks to the Anthropic API', async () => {
  const script = [
    { content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { at: 'sky' } }] },
    { content: [{ type: 'text', text: 'blue' }] },
  ] as const;
  await withModel({ script, isStrict: true }, async (server) => {
    const parameters = { type: 'object', properties: { at: { type: 'string' } } };
    const look = tool('look', {
      parameters,
      execute: async (_, { at }: { at: string }) => result(`${at}: blue`),
    });
    const config = configWith({ model: modelAt(server.url), ...options });

    const added = await agentLoop([user('look')], contextWith([look]), config).result();

    expect(added.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect(added[1]).toMatchObject({
      stopReason: 'toolUse',
      content: [{ type: 'toolCall', id: 'c1', arguments: { at: 'sky' } }],
    });
    expect(added.at(-1)).toMatchObject({ content: [{ text: 'blue' }], stopReason: 'stop' });
  });
});

test('a reply is told part by part, and its cost is counted', async () => {
  const script = [{ content: [{ type: 'text', text: 'hello there' }] }] as const;
  await withModel({ script, isStrict: true }, async (server) => {
    const stream = await streamAnthropic(modelAt(server.url), prompt, options);
    const events = await read(stream);
    const { usage } = await stream.result();

    const kinds = events.map(({ type }) => type);
    expect(kinds.slice(0, 2)).toEqual(['start', 'text_start']);
    expect(kinds.slice(-2)).toEqual(['text_end', 'done']);
    const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
    expect(text.join('')).toBe('hello there');
    expect(usage.cost.total).toBeCloseTo(usage.totalTokens / 1e6);
  });
});

test('a request that is refused is a reply with stopReason error', async () => {
  const script = [{ error: { type: 'invalid_request_error', message: 'no' } }] as const;
  await withModel({ script }, async (server) => {
    const stream = await streamAnthropic(modelAt(server.url), prompt, options);

    expect(await stream.result()).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('400') as string,
    });
  });
});

test('a request that is stopped is a reply with stopReason aborted', async () => {
  const script = [{ content: [{ type: 'text', text: 'never heard' }] }] as const;
  await withModel({ script }, async (server) => {
    const stream = await streamAnthropic(modelAt(server.url), prompt, {
      ...options,
      signal: AbortSignal.abort(),
    });

    expect(await stream.result()).toMatchObject({ stopReason: 'aborted' });
  });
});

test('an API that it does not speak is an error that says so', async () => {
  const stream = await streamAnthropic(MODEL, prompt, options);

  expect(await stream.result()).toMatchObject({
    stopReason: 'error',
    errorMessage: expect.stringContaining('streamFn') as string,
  });
});

test('results of one batch leave in one message, behind the reply that asked for them', async () => {
  let payload: unknown;
  const messages = [
    user('hi'),
    calls(call('look', {}, 'a'), call('look', {}, 'b')),
    ...['a', 'b'].map((toolCallId) => ({
      role: 'toolResult' as const,
      toolCallId,
      toolName: 'look',
      content: [{ type: 'text' as const, text: 'seen' }],
      isError: toolCallId === 'b',
      timestamp: 3,
    })),
  ];
  const onPayload = (request: unknown) => {
    payload = request;
    throw new Error('far enough');
  };

  const model = { ...modelAt(''), reasoning: true };
  await (
    await streamAnthropic(model, { messages }, { ...options, onPayload, reasoning: 'low' })
  ).result();

  expect(payload).toMatchObject({
    thinking: { type: 'enabled', budget_tokens: MODEL.maxTokens - 1 },
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }, { id: 'b' }] },
      { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b', is_error: true }] },
    ],
  });
});
