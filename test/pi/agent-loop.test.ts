import { agentLoop, agentLoopContinue, type AgentMessage, type Message } from '../../src/pi';
import {
  call,
  calls,
  configWith,
  contextWith,
  inShort,
  MODEL,
  read,
  says,
  scripted,
  tool,
  user,
} from './builders';

declare module '../../src/pi' {
  interface CustomAgentMessages {
    note: { role: 'note'; text: string; timestamp: number };
  }
}

const note = (text: string): AgentMessage => ({ role: 'note', text, timestamp: 0 });

const notesAsUser = (messages: AgentMessage[]): Message[] =>
  messages.map((message) => (message.role === 'note' ? user(message.text) : message));

test('event order of a plain prompt', async () => {
  const { streamFn } = scripted(says('hello'));

  const stream = agentLoop([user('hi')], contextWith(), configWith(), undefined, streamFn);
  const events = await read(stream);

  expect(events.map(({ type }) => type)).toEqual([
    ...['agent_start', 'turn_start', 'message_start', 'message_end'],
    ...['message_start', 'message_update', 'message_end', 'turn_end', 'agent_end'],
  ]);
  expect(await stream.result()).toEqual([user('hi'), says('hello')]);
});

test('a prompt leaves the given context as it is', async () => {
  const context = contextWith([], [user('before')]);
  const { streamFn, asked } = scripted(says('hello'));

  const stream = agentLoop([user('hi')], context, configWith(), undefined, streamFn);
  const added = await stream.result();

  expect(context.messages).toEqual([user('before')]);
  expect(asked[0]?.context.messages).toEqual([user('before'), user('hi')]);
  expect(added).toHaveLength(2);
});

test('custom message types via convertToLlm', async () => {
  const { streamFn, asked } = scripted(says('hello'));
  const config = configWith({ convertToLlm: notesAsUser });

  const events = await read(agentLoop([note('psst')], contextWith(), config, undefined, streamFn));

  expect(inShort(events)).toContain('message_end note');
  expect(asked[0]?.context.messages).toEqual([user('psst')]);
});

test('transformContext runs before convertToLlm', async () => {
  const { streamFn, asked } = scripted(says('hello'));
  const config = configWith({
    transformContext: async (messages) => messages.slice(-1),
    convertToLlm: (messages) => {
      expect(messages).toEqual([user('new')]);
      return [user('converted')];
    },
  });

  const context = contextWith([], [user('old')]);
  const stream = agentLoop([user('new')], context, config, undefined, streamFn);
  const added = await stream.result();

  expect(asked[0]?.context.messages).toEqual([user('converted')]);
  expect(added[0]).toEqual(user('new'));
});

test('the key is asked for before each request, and the static one stands in for none', async () => {
  const keys = ['first', undefined];
  const { streamFn, asked } = scripted(calls(call('look')), says('done'));
  const config = configWith({ apiKey: 'static', getApiKey: () => keys.shift() });

  await agentLoop([user('hi')], contextWith([tool('look')]), config, undefined, streamFn).result();

  expect(asked.map(({ options }) => options.apiKey)).toEqual(['first', 'static']);
});

test('a reply that failed ends the run: no hook, no queue', async () => {
  const { streamFn } = scripted(says('', { stopReason: 'error', errorMessage: 'overloaded' }));
  const polled: string[] = [];
  const config = configWith({
    shouldStopAfterTurn: () => (polled.push('stop'), false),
    getFollowUpMessages: async () => (polled.push('follow-up'), []),
  });

  const events = await read(agentLoop([user('hi')], contextWith(), config, undefined, streamFn));

  expect(inShort(events).slice(-3)).toEqual(['message_end assistant', 'turn_end', 'agent_end']);
  expect(polled).toEqual([]);
});

test('what a hook throws is thrown to the reader', async () => {
  const config = configWith({ convertToLlm: () => Promise.reject(new Error('no converter')) });

  const stream = agentLoop([user('hi')], contextWith(), config, undefined, scripted().streamFn);

  await expect(read(stream)).rejects.toThrow('no converter');
  await expect(stream.result()).rejects.toThrow('no converter');
});

test('prepareNextTurn snapshot used', async () => {
  const { streamFn, asked } = scripted(calls(call('look')), says('done'));
  const other = { ...MODEL, id: 'other' };
  const config = configWith({
    reasoning: 'low',
    prepareNextTurn: ({ toolResults }) =>
      toolResults.length === 0
        ? undefined
        : { model: other, thinkingLevel: 'high', context: contextWith([], [user('short')]) },
  });

  await agentLoop([user('hi')], contextWith([tool('look')]), config, undefined, streamFn).result();

  expect(asked[1]).toMatchObject({
    model: { id: 'other' },
    options: { reasoning: 'high' },
    context: { messages: [user('short')], tools: [] },
  });
});

test('shouldStopAfterTurn: exact events, 1 steering poll, 0 follow-up polls', async () => {
  const { streamFn, asked } = scripted(calls(call('look')));
  const polled: string[] = [];
  const config = configWith({
    shouldStopAfterTurn: ({ context, newMessages }) =>
      context.messages.length === 3 && newMessages.length === 3,
    getSteeringMessages: async () => (polled.push('steering'), []),
    getFollowUpMessages: async () => (polled.push('follow-up'), []),
  });

  const context = contextWith([tool('look')]);
  const events = await read(agentLoop([user('hi')], context, config, undefined, streamFn));

  expect(inShort(events).slice(4)).toEqual([
    ...['message_start assistant', 'message_end assistant'],
    ...['tool_execution_start look', 'tool_execution_end look'],
    ...['message_start result of look', 'message_end result of look', 'turn_end', 'agent_end'],
  ]);
  expect(polled).toEqual(['steering']);
  expect(asked).toHaveLength(1);
});

test('prepareRequest replaces what the request is made with, the first one included', async () => {
  const { streamFn, asked } = scripted(calls(call('look')), says('done'));
  const seen: unknown[] = [];
  const config = configWith({
    reasoning: 'low',
    prepareRequest: ({ context, thinkingLevel }) => {
      seen.push([context.messages.length, thinkingLevel]);
      return { thinkingLevel: 'off' };
    },
  });

  await agentLoop([user('hi')], contextWith([tool('look')]), config, undefined, streamFn).result();

  expect(seen).toEqual([
    [1, 'low'],
    [3, 'off'],
  ]);
  expect(asked.map(({ options }) => options.reasoning)).toEqual([undefined, undefined]);
});

test('finishTurn ends the run with no queue asked', async () => {
  const { streamFn, asked } = scripted(calls(call('look')));
  const polled: string[] = [];
  const config = configWith({
    finishTurn: () => ({ action: 'end' }),
    getSteeringMessages: async () => (polled.push('steering'), []),
    getFollowUpMessages: async () => (polled.push('follow-up'), []),
  });

  const context = contextWith([tool('look')]);
  const events = await read(agentLoop([user('hi')], context, config, undefined, streamFn));

  expect(inShort(events).slice(-2)).toEqual(['turn_end', 'agent_end']);
  expect([polled, asked.length]).toEqual([['steering'], 1]);
});

test('finishTurn asks for one more turn, even if nothing is new for it', async () => {
  const { streamFn, asked } = scripted(says('one'), says('two'));
  const config = configWith({
    finishTurn: ({ newMessages }) => (newMessages.length < 3 ? { action: 'continue' } : undefined),
  });

  await agentLoop([user('hi')], contextWith(), config, undefined, streamFn).result();

  expect(asked[1]?.context.messages).toEqual([user('hi'), says('one')]);
  expect(asked).toHaveLength(2);
});

test('follow-ups are asked for when nothing else is left, and begin another turn', async () => {
  const followUps = [[user('and then?')], []];
  const { streamFn, asked } = scripted(says('one'), says('two'));
  const config = configWith({ getFollowUpMessages: async () => followUps.shift() ?? [] });

  const events = await read(agentLoop([user('hi')], contextWith(), config, undefined, streamFn));

  expect(inShort(events).slice(6)).toEqual([
    ...['turn_end', 'turn_start', 'message_start user', 'message_end user'],
    ...['message_start assistant', 'message_end assistant', 'turn_end', 'agent_end'],
  ]);
  expect(asked[1]?.context.messages).toEqual([user('hi'), says('one'), user('and then?')]);
});

test('continue throws on an empty context', () => {
  expect(() => agentLoopContinue(contextWith(), configWith())).toThrow('no messages');
});

test('continue throws on a context that ends with a reply', () => {
  const context = contextWith([], [user('hi'), says('hello')]);

  expect(() => agentLoopContinue(context, configWith())).toThrow('assistant message');
});

test('continue emits no user events', async () => {
  const { streamFn } = scripted(says('hello'));

  const stream = agentLoopContinue(
    contextWith([], [user('hi')]),
    configWith(),
    undefined,
    streamFn,
  );

  expect(inShort(await read(stream))).toEqual([
    ...['agent_start', 'turn_start', 'message_start assistant', 'message_end assistant'],
    ...['turn_end', 'agent_end'],
  ]);
  expect(await stream.result()).toEqual([says('hello')]);
});

test('custom last message accepted', async () => {
  const { streamFn, asked } = scripted(says('hello'));
  const context = contextWith([], [says('earlier'), note('psst')]);
  const config = configWith({ convertToLlm: notesAsUser });

  await agentLoopContinue(context, config, undefined, streamFn).result();

  expect(asked[0]?.context.messages.at(-1)).toEqual(user('psst'));
});
