import { Agent, type AgentEvent, type AgentOptions, type AssistantMessage } from '../../src/pi';
import { call, calls, gate, inShort, MODEL, says, scripted, tool, user } from './builders';

function agentWith(replies: AssistantMessage[], options: AgentOptions = {}) {
  const { streamFn, asked } = scripted(...replies);
  const agent = new Agent({ streamFn, ...options });
  agent.state.model = MODEL;
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, asked, events };
}

test('default initial state', () => {
  const { state } = new Agent();

  expect(state).toMatchObject({
    systemPrompt: '',
    thinkingLevel: 'off',
    isStreaming: false,
    model: { id: 'unknown' },
  });
  expect([state.tools, state.messages, [...state.pendingToolCalls]]).toEqual([[], [], []]);
  expect([state.streamingMessage, state.errorMessage]).toEqual([undefined, undefined]);
});

test('custom initial state, its lists copied', () => {
  const messages = [user('hi')];
  const agent = new Agent({
    initialState: { systemPrompt: 'Be brief.', model: MODEL, thinkingLevel: 'low', messages },
  });

  messages.push(user('later'));
  agent.state.tools = [tool('look')];

  expect(agent.state).toMatchObject({ systemPrompt: 'Be brief.', thinkingLevel: 'low' });
  expect(agent.state.messages).toEqual([user('hi')]);
  expect(agent.state.tools).toHaveLength(1);
});

test('subscribe emits nothing by itself', async () => {
  const { agent, events } = agentWith([says('hello')]);
  const heard: AgentEvent[] = [];
  const unsubscribe = agent.subscribe((event) => void heard.push(event));
  agent.state.systemPrompt = 'changed';
  expect(events).toEqual([]);

  unsubscribe();
  await agent.prompt('hi');

  expect(heard).toEqual([]);
  expect(events.at(-1)?.type).toBe('agent_end');
});

test('a prompt is text, text with images, a message, or several', async () => {
  const { agent } = agentWith([says('1'), says('2'), says('3')]);
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;

  await agent.prompt('look', [image]);
  await agent.prompt(user('one'));
  await agent.prompt([user('two'), user('three')]);

  const prompts = agent.state.messages.filter(({ role }) => role === 'user');
  expect(prompts).toMatchObject([
    { content: [{ type: 'text', text: 'look' }, image] },
    ...[{ content: 'one' }, { content: 'two' }, { content: 'three' }],
  ]);
});

test('thrown stream → lifecycle', async () => {
  const { agent, events } = agentWith([], {
    streamFn: () => {
      throw new Error('no network');
    },
  });

  await agent.prompt('hi');

  expect(inShort(events).slice(4)).toEqual([
    ...['message_start assistant', 'message_end assistant', 'turn_end', 'agent_end'],
  ]);
  expect(agent.state).toMatchObject({ errorMessage: 'no network', isStreaming: false });
  expect(agent.state.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'error' });
});

test('a listener that throws ends the run, and no call is left running', async () => {
  const { agent } = agentWith([calls(call('a'), call('b'))]);
  agent.state.tools = [tool('a'), tool('b')];
  agent.subscribe(({ type }) => {
    if (type === 'tool_execution_end') throw new Error('screen gone');
  });

  await agent.prompt('hi');

  expect(agent.state.errorMessage).toBe('screen gone');
  expect([...agent.state.pendingToolCalls]).toEqual([]);
});

test('subscribers awaited (prompt, waitForIdle, isStreaming)', async () => {
  const { agent } = agentWith([says('hello')]);
  const barrier = gate();
  const reached = gate();
  agent.subscribe(async ({ type }) => {
    if (type !== 'agent_end') return;
    reached.open();
    await barrier.opened;
  });
  const settled: string[] = [];

  const prompt = agent.prompt('hi').then(() => settled.push('prompt'));
  const idle = agent.waitForIdle().then(() => settled.push('idle'));
  await reached.opened;
  await new Promise(setImmediate);
  expect([settled, agent.state.isStreaming]).toEqual([[], true]);
  barrier.open();
  await Promise.all([prompt, idle]);

  expect(settled.sort()).toEqual(['idle', 'prompt']);
  expect(agent.state.isStreaming).toBe(false);
});

test('a listener that is slow at the end of a message holds the tools back', async () => {
  const order: string[] = [];
  const { agent } = agentWith([calls(call('look')), says('ok')], {
    beforeToolCall: async () => void order.push('prepared'),
  });
  agent.state.tools = [tool('look')];
  agent.subscribe(async ({ type }) => {
    if (type !== 'message_end') return;
    await new Promise(setImmediate);
    order.push('heard');
  });

  await agent.prompt('hi');

  expect(order.slice(0, 3)).toEqual(['heard', 'heard', 'prepared']);
});

test('signal passed to the stream, the tools and the listeners', async () => {
  const seen = new Set<AbortSignal | undefined>();
  const look = tool('look', {
    execute: async (_id, _args, signal) => (seen.add(signal), { content: [], details: null }),
  });
  const { agent, asked } = agentWith([calls(call('look')), says('ok')]);
  agent.state.tools = [look];
  agent.subscribe((_, signal) => void seen.add(signal));

  await agent.prompt('hi');

  expect(seen.size).toBe(1);
  expect(seen.has(asked[0]?.options.signal)).toBe(true);
  expect(agent.signal).toBeUndefined();
});

test('abort ends the run with a reply that was aborted; abort when idle is harmless', async () => {
  const { agent } = agentWith([], {
    streamFn: async (_model, _context, options) => {
      setImmediate(() => agent.abort());
      await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
      throw new Error('stopped');
    },
  });

  agent.abort();
  await agent.prompt('hi');

  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: 'aborted' });
});

test('queues not in messages', () => {
  const { agent } = agentWith([]);

  agent.steer(user('left'));
  agent.followUp(user('later'));

  expect(agent.state.messages).toEqual([]);
  expect(agent.hasQueuedMessages()).toBe(true);
  agent.clearAllQueues();
  expect(agent.hasQueuedMessages()).toBe(false);
});

test('prompt/continue while busy throw, each in its own words; so does reset', async () => {
  const { agent } = agentWith([says('hello')]);

  const running = agent.prompt('hi');

  await expect(agent.prompt('me too')).rejects.toThrow('busy with a prompt');
  await expect(agent.continue()).rejects.toThrow('before it is continued');
  expect(() => agent.reset()).toThrow('while a run is on');
  await running;
  agent.reset();
  expect(agent.state.messages).toEqual([]);
});

test('continue on a conversation that a model can answer', async () => {
  const { agent, events } = agentWith([says('hello')]);
  agent.state.messages = [user('hi')];

  await agent.continue();

  expect(inShort(events)).not.toContain('message_start user');
  expect(agent.state.messages).toEqual([user('hi'), says('hello')]);
});

test('continue drains follow-up after an assistant tail', async () => {
  const { agent, asked } = agentWith([says('done')]);
  agent.state.messages = [user('hi'), says('hello')];
  agent.followUp(user('more'));

  await agent.continue();

  expect(asked[0]?.context.messages.at(-1)).toEqual(user('more'));
  await expect(agent.continue()).rejects.toThrow('nothing is queued');
});

test('one-at-a-time steering = 2 replies', async () => {
  const { agent, asked } = agentWith([says('one'), says('two')]);
  agent.state.messages = [user('hi'), says('hello')];
  agent.steer(user('left'));
  agent.steer(user('right'));

  await agent.continue();

  expect(asked).toHaveLength(2);
  expect(agent.state.messages.slice(2)).toEqual([
    ...[user('left'), says('one'), user('right'), says('two')],
  ]);
});

test.each([
  ['one-at-a-time', 3],
  ['all', 2],
] as const)('follow-ups %s: %d requests', async (followUpMode, requests) => {
  const { agent, asked } = agentWith([says('1'), says('2'), says('3')], { followUpMode });
  agent.followUp(user('b'));
  agent.followUp(user('c'));

  await agent.prompt('a');

  expect(asked).toHaveLength(requests);
  expect(agent.followUpMode).toBe(followUpMode);
});

test('steering all: one request hears everything', async () => {
  const { agent, asked } = agentWith([calls(call('look')), says('ok')], { steeringMode: 'all' });
  const steerTwice = async () => {
    agent.steer(user('b'));
    agent.steer(user('c'));
    return { content: [], details: null };
  };
  agent.state.tools = [tool('look', { execute: steerTwice })];

  await agent.prompt('a');

  expect(asked[1]?.context.messages.slice(-2)).toEqual([user('b'), user('c')]);
});

test('sessionId passed on, and the rest of the settings with it', async () => {
  const { agent, asked } = agentWith([says('1'), says('2')], {
    sessionId: 's-1',
    initialState: { thinkingLevel: 'high' },
    thinkingBudgets: { high: 9 },
  });

  await agent.prompt('a');
  agent.sessionId = 's-2';
  agent.state.thinkingLevel = 'off';
  await agent.prompt('b');

  expect(asked[0]?.options).toMatchObject({
    ...{ sessionId: 's-1', reasoning: 'high', thinkingBudgets: { high: 9 }, transport: 'auto' },
  });
  expect(asked[1]?.options).toMatchObject({ sessionId: 's-2' });
  expect(asked[1]?.options).not.toHaveProperty('reasoning');
});

test('the state follows the run: the growing reply, the calls that run', async () => {
  const seen: unknown[] = [];
  const { agent } = agentWith([calls(call('look')), says('ok')]);
  agent.state.tools = [
    tool('look', {
      execute: async () => {
        seen.push([...agent.state.pendingToolCalls], agent.state.messages.length);
        return { content: [], details: null };
      },
    }),
  ];
  agent.subscribe(({ type }) => {
    if (type === 'message_update') seen.push(agent.state.streamingMessage?.role);
  });

  await agent.prompt('hi');

  expect(seen).toEqual(['assistant', ['look'], 2, 'assistant']);
  expect(agent.state.streamingMessage).toBeUndefined();
});
