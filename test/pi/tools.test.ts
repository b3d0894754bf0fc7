import {
  agentLoop,
  type AgentEvent,
  type AgentLoopConfig,
  type AgentTool,
  type AssistantMessage,
  type ToolResultMessage,
} from '../../src/pi';
import {
  call,
  calls,
  configWith,
  contextWith,
  gate,
  inShort,
  read,
  result,
  says,
  scripted,
  tool,
  user,
} from './builders';

async function run(
  tools: AgentTool[],
  replies: AssistantMessage[],
  config: Partial<AgentLoopConfig> = {},
  signal?: AbortSignal,
) {
  const { streamFn, asked } = scripted(...replies);
  const stream = agentLoop([user('hi')], contextWith(tools), configWith(config), signal, streamFn);
  const events = await read(stream);
  const added = await stream.result();
  const results = added.filter((message) => message.role === 'toolResult');
  return { events, asked, results };
}

const onlyTools = (events: readonly AgentEvent[]): string[] =>
  inShort(events).filter((line) => /tool_execution|message_end result/.test(line));

const textOf = ({ content: [block] }: ToolResultMessage): unknown =>
  block?.type === 'text' ? block.text : block;

const NUMBER = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

test('tool call + result', async () => {
  const look = tool('look', {
    execute: async (id, { n }: { n: number }) => result(`${id} ${n}`),
    parameters: NUMBER,
  });

  const { events, asked, results } = await run([look], [calls(call('look', { n: 1 })), says('ok')]);

  expect(results).toMatchObject([
    { toolCallId: 'look', toolName: 'look', isError: false, details: { result: 'look 1' } },
  ]);
  expect(asked[1]?.context.messages.at(-1)).toEqual(results[0]);
  expect(events.find(({ type }) => type === 'turn_end')).toMatchObject({ toolResults: results });
});

test('afterToolCall patch: what it names is replaced, the rest stays', async () => {
  const { results } = await run([tool('look')], [calls(call('look')), says('ok')], {
    afterToolCall: async ({ result: { details } }) => ({
      details: { ...details, audited: true },
      isError: true,
    }),
  });

  expect(results).toMatchObject([
    {
      content: [{ text: 'look ran' }],
      details: { result: 'look ran', audited: true },
      isError: true,
    },
  ]);
});

test('a throw in afterToolCall becomes an error result', async () => {
  const { results } = await run([tool('look')], [calls(call('look')), says('ok')], {
    afterToolCall: () => Promise.reject(new Error('no audit')),
  });

  expect(results).toMatchObject([{ content: [{ text: 'no audit' }], isError: true }]);
});

test('length-truncated calls not executed', async () => {
  let ran = 0;
  const look = tool('look', { execute: async () => (ran++, result('')) });
  const cutOff = {
    ...calls(call('look', {}, 'a'), call('look', {}, 'b')),
    stopReason: 'length',
  } as const;

  const { results, asked } = await run([look], [cutOff, says('ok')]);

  expect(ran).toBe(0);
  expect(results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(asked).toHaveLength(2);
});

test('an unknown tool, bad arguments and a tool that throws are results that the model reads', async () => {
  const fail = tool('fail', {
    execute: () => {
      throw new Error('disk full');
    },
  });
  const count = tool('count', { parameters: NUMBER });
  const reply = calls(call('fly'), call('count', { n: 'many' }), call('fail'));

  const { results } = await run([fail, count], [reply, says('ok')]);

  expect(results.every(({ isError }) => isError)).toBe(true);
  expect(results.map(textOf)).toEqual([
    expect.stringContaining('fly'),
    expect.stringMatching(/n: .*number[^]*"many"/),
    'disk full',
  ]);
});

test.each([
  ['number', '3', 3],
  ['integer', '-2', -2],
  ['boolean', 'true', true],
  ['string', 7, '7'],
  [['integer', 'null'], '4', 4],
  [['string', 'null'], null, null],
  [['string', 'integer'], 5, 5],
])('a %j that the model wrote as %j reaches the tool as %j', async (type, written, read) => {
  const seen: unknown[] = [];
  const take = tool('take', {
    parameters: {
      type: 'object',
      properties: {
        deep: { type: 'array', items: { type: 'object', properties: { x: { type } } } },
      },
    },
    execute: async (_, args) => (seen.push(args), result('')),
  });
  const args = { deep: [{ x: written }], more: 'kept' };

  await run([take], [calls(call('take', args)), says('ok')]);

  expect(seen).toEqual([{ deep: [{ x: read }], more: 'kept' }]);
  expect(args.deep[0]).toEqual({ x: written });
});

test('before-hook mutation not revalidated', async () => {
  const seen: unknown[] = [];
  const count = tool('count', {
    parameters: NUMBER,
    execute: async (_, args) => (seen.push(args), result('')),
  });

  await run([count], [calls(call('count', { n: 1 })), says('ok')], {
    beforeToolCall: async ({ args }) => void Object.assign(args as object, { n: 'many' }),
  });

  expect(seen).toEqual([{ n: 'many' }]);
});

test('prepareArguments fits raw arguments to the schema before they are checked', async () => {
  const seen: unknown[] = [];
  const count = tool('count', {
    parameters: NUMBER,
    prepareArguments: (args) => ({ n: (args as { count: number }).count }),
    execute: async (_, args) => (seen.push(args), result('')),
  });

  const { events } = await run([count], [calls(call('count', { count: 4 })), says('ok')]);

  expect(seen).toEqual([{ n: 4 }]);
  expect(events.find(({ type }) => type === 'tool_execution_start')).toMatchObject({
    args: { count: 4 },
  });
});

test('a blocked call is not run, and its reason is what the model reads', async () => {
  let ran = false;
  const rm = tool('rm', { execute: async () => ((ran = true), result('')) });

  const { results } = await run([rm], [calls(call('rm')), says('ok')], {
    beforeToolCall: async () => ({ block: true, reason: 'not today' }),
  });

  expect(ran).toBe(false);
  expect(results).toMatchObject([{ content: [{ text: 'not today' }], isError: true }]);
});

test('completion-order ends vs source-order results', async () => {
  const slow = gate();
  const tools = [
    tool('slow', { execute: async () => (await slow.opened, result('slow')) }),
    tool('fast', { execute: async () => (setImmediate(slow.open), result('fast')) }),
  ];

  const { events } = await run(tools, [calls(call('slow'), call('fast')), says('ok')]);

  expect(onlyTools(events)).toEqual([
    ...['tool_execution_start slow', 'tool_execution_start fast'],
    ...['tool_execution_end fast', 'tool_execution_end slow'],
    ...['message_end result of slow', 'message_end result of fast'],
  ]);
});

test('parallel when all allow: every call is prepared before one runs, then they overlap', async () => {
  const order: string[] = [];
  const both = gate();
  const meet = async (id: string) => {
    if (order.push(`run ${id}`) === 4) both.open();
    await both.opened;
    return result(id);
  };
  const tools = ['a', 'b'].map((name) => tool(name, { execute: meet, executionMode: 'parallel' }));

  await run(tools, [calls(call('a'), call('b')), says('ok')], {
    beforeToolCall: async ({ toolCall }) => void order.push(`prepare ${toolCall.id}`),
  });

  expect(order).toEqual(['prepare a', 'prepare b', 'run a', 'run b']);
});

const ONE_BY_ONE = ['a', 'b'].flatMap((id) => [
  ...[`tool_execution_start ${id}`, `tool_execution_end ${id}`, `message_end result of ${id}`],
]);

test('sequential forced by config', async () => {
  const reply = calls(call('a'), call('b'));

  const { events } = await run([tool('a'), tool('b')], [reply, says('ok')], {
    toolExecution: 'sequential',
  });

  expect(onlyTools(events)).toEqual(ONE_BY_ONE);
});

test('sequential forced by one tool', async () => {
  const tools = [tool('a'), tool('b', { executionMode: 'sequential' })];

  const { events } = await run(tools, [calls(call('a'), call('b')), says('ok')]);

  expect(onlyTools(events)).toEqual(ONE_BY_ONE);
});

test('progress is told while the tool runs', async () => {
  const look = tool('look', {
    execute: async (_id, _args, _signal, onUpdate) => (onUpdate?.(result('half')), result('all')),
  });

  const { events } = await run([look], [calls(call('look')), says('ok')]);

  expect(onlyTools(events)).toEqual([
    ...['tool_execution_start look', 'tool_execution_update look', 'tool_execution_end look'],
    'message_end result of look',
  ]);
});

test('late updates ignored', async () => {
  let late: () => void = () => undefined;
  const look = tool('look', {
    execute: async (_id, _args, _signal, onUpdate) => {
      late = () => onUpdate?.(result('late'));
      return result('all');
    },
  });

  const { events } = await run([look], [calls(call('look')), says('ok')], {
    afterToolCall: async () => (late(), undefined),
  });

  expect(events.some(({ type }) => type === 'tool_execution_update')).toBe(false);
});

const ending = (name: string, more: Partial<AgentTool> = {}): AgentTool =>
  tool(name, { execute: async () => ({ ...result(name), terminate: true }), ...more });

test('all-terminate → 1 model call', async () => {
  const reply = calls(call('a'), call('b'));

  const { asked, results, events } = await run([ending('a'), ending('b')], [reply]);

  expect(asked).toHaveLength(1);
  expect(results).toHaveLength(2);
  expect(results.some((message) => 'terminate' in message)).toBe(false);
  expect(inShort(events).slice(-2)).toEqual(['turn_end', 'agent_end']);
});

test('follow-ups are heard after a batch that wanted the end', async () => {
  const followUps = [[user('one more')]];

  const { asked } = await run([ending('a')], [calls(call('a')), says('ok')], {
    getFollowUpMessages: async () => followUps.shift() ?? [],
  });

  expect(asked[1]?.context.messages.at(-1)).toEqual(user('one more'));
});

test('blocked + terminate', async () => {
  const { asked, results } = await run([tool('a')], [calls(call('a'))], {
    beforeToolCall: async () => ({ block: true, terminate: true }),
  });

  expect(asked).toHaveLength(1);
  expect(results).toMatchObject([{ isError: true }]);
});

test.each(['sequential', 'parallel'] as const)('mixed terminate continues (%s)', async (mode) => {
  const reply = calls(call('a'), call('b'));

  const { asked } = await run([ending('a'), tool('b')], [reply, says('ok')], {
    toolExecution: mode,
  });

  expect(asked).toHaveLength(2);
});

test('afterToolCall terminate', async () => {
  const { asked } = await run([tool('a')], [calls(call('a'))], {
    afterToolCall: async () => ({ terminate: true }),
  });

  expect(asked).toHaveLength(1);
});

test.each(['sequential', 'parallel'] as const)(
  'steering injected after all tools (%s)',
  async (toolExecution) => {
    const steering = [[], [user('wait')]];
    const tools = [tool('a'), tool('b')];

    const { events, asked, results } = await run(tools, [calls(call('a'), call('b')), says('ok')], {
      toolExecution,
      getSteeringMessages: async () => steering.shift() ?? [],
    });

    expect(results.every(({ isError }) => !isError)).toBe(true);
    const told = inShort(events);
    expect(told.slice(told.indexOf('turn_end'))).toEqual([
      ...['turn_end', 'turn_start', 'message_start user', 'message_end user'],
      ...['message_start assistant', 'message_end assistant', 'turn_end', 'agent_end'],
    ]);
    expect(asked[1]?.context.messages.at(-1)).toEqual(user('wait'));
  },
);

test('a stop between two calls: the second is answered without being run', async () => {
  const stop = new AbortController();
  const ran: string[] = [];
  const tools = [
    tool('a', { execute: async () => (ran.push('a'), stop.abort(), result('a')) }),
    tool('b', { execute: async () => (ran.push('b'), result('b')) }),
  ];
  const replies = [calls(call('a'), call('b')), says('', { stopReason: 'aborted' })];

  const { results } = await run(tools, replies, { toolExecution: 'sequential' }, stop.signal);

  expect(ran).toEqual(['a']);
  expect(results.map(({ isError }) => isError)).toEqual([false, true]);
});
