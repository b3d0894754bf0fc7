import type { LoopEvent } from '../../src/loop/events';
import { call, DONE, params, reply, safeCall, toolReply } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps, type Step } from './scripted-deps';

const typesOf = (events: readonly LoopEvent[]) => events.map(({ type }) => type);

test('a plain prompt is one request and ends completed', async () => {
  const deps = scriptedDeps([reply({ leaf: 'answer' })]);

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(run.end.messages).toEqual({ leaf: 'answer', pending: [] });
  expect(typesOf(run.events)).toEqual(['stream_request_start', 'assistant', 'end']);
  expect(deps.requests).toEqual([
    {
      messages: params().messages,
      toolUseContext: params().toolUseContext,
      turnCount: 1,
      maxOutputTokensOverride: null,
      room: 'compact',
    },
  ]);
});

test('next_turn: tool results go to the model behind the reply that asked for them', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['next_turn']);
  expect(deps.requests[1]).toMatchObject({
    turnCount: 2,
    messages: {
      leaf: 'reply-leaf',
      pending: [{ type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' } }],
    },
  });
});

test('everything is told when it happens, in the order of the stages', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);
  deps.queued = ['steer'];

  const run = await runLoop(params(), deps);

  expect(typesOf(run.events)).toEqual([
    'stream_request_start',
    'assistant',
    'tool_result',
    'attachment',
    'transition',
    'stream_request_start',
    'assistant',
    'end',
  ]);
});

test('the five kinds of things that are told are told in order, up to the limit of turns', async () => {
  const step: Step = async function* () {
    yield { type: 'stream_event', event: 'delta' };
    return toolReply(call('a'));
  };
  const deps = scriptedDeps([step, toolReply(call('b'))]);
  deps.queued = ['steer'];

  const { events } = await runLoop(params({ maxTurns: 2 }), deps);

  const told = events.map((event) =>
    event.type === 'attachment' ? event.attachment.type : event.type,
  );
  expect(told).toEqual([
    ...['stream_request_start', 'stream_event', 'assistant', 'tool_result', 'queued_message'],
    'transition',
    ...['stream_request_start', 'assistant', 'tool_result', 'max_turns_reached'],
    'end',
  ]);
});

test('a tool_use is run whatever the stop_reason says', async () => {
  const deps = scriptedDeps([
    reply({ toolUses: [call('a')], stopReason: 'end_turn' }),
    reply({ toolUses: [call('b')], stopReason: 'max_tokens' }),
    reply(),
  ]);

  const run = await runLoop(params(), deps);

  expect(deps.toolCalls.map(({ toolUse }) => toolUse.id)).toEqual(['a', 'b']);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('a shell that moved stands in its new folder from the next turn on', async () => {
  const deps = scriptedDeps(
    [toolReply(call('cd'), call('ls')), toolReply(call('c')), reply()],
    ({ toolUse }) =>
      Promise.resolve(toolUse.id === 'cd' ? { ...DONE, workingDirectory: '/moved' } : DONE),
  );

  await runLoop(params(), deps);

  const folders = deps.toolCalls.map(({ toolUseContext }) => toolUseContext.workingDirectory);
  expect(folders).toEqual(['/workspace', '/workspace', '/moved']);
  expect(deps.requests[1]?.toolUseContext).toEqual({
    ...params().toolUseContext,
    workingDirectory: '/moved',
  });
});

test('messages that came in meanwhile follow the tool results, in the order in which they came', async () => {
  const deps = scriptedDeps([toolReply(call('a'), call('b')), reply()], async (toolCall, at) => {
    at.queued.push(`during-${toolCall.toolUse.id}`);
    return DONE;
  });

  const run = await runLoop(params(), deps);

  expect(deps.requests[1]?.messages.pending).toEqual([
    { type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' } },
    { type: 'tool_result', toolUse: { id: 'b', recordId: 'record-b' } },
    { type: 'message', messageId: 'during-a', steering: true },
    { type: 'message', messageId: 'during-b', steering: true },
  ]);
  expect(run.events.filter(({ type }) => type === 'attachment')).toEqual([
    { type: 'attachment', attachment: { type: 'queued_message', messageId: 'during-a' } },
    { type: 'attachment', attachment: { type: 'queued_message', messageId: 'during-b' } },
  ]);
});

test('a message that no tool round follows is left for the next query', async () => {
  const deps = scriptedDeps([reply()]);
  deps.queued = ['waits'];

  await runLoop(params(), deps);

  expect(deps.queued).toEqual(['waits']);
});

test('a tool that could not be run still gets its result, and the model goes on', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()], () =>
    Promise.resolve({ type: 'failed', message: 'the disk is full' }),
  );

  const run = await runLoop(params(), deps);

  expect(deps.requests[1]?.messages.pending).toEqual([
    { type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' }, lost: 'tool_failed' },
  ]);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('fifty tool rounds end completed', async () => {
  const rounds = Array.from({ length: 50 }, (_, index) => toolReply(call(`call-${index}`)));
  const deps = scriptedDeps([...rounds, reply()]);

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(run.states).toHaveLength(50);
  expect(deps.requests.at(-1)?.turnCount).toBe(51);
});

test('the same tool round costs the same State, however many came before', async () => {
  const rounds = Array.from({ length: 500 }, () => toolReply(safeCall('a'), safeCall('b')));

  const { states } = await runLoop(params(), scriptedDeps([...rounds, reply()]));

  const sizes = states.map((state) => JSON.stringify({ ...state, turnCount: 0 }).length);
  expect(new Set(sizes).size).toBe(1);
});

test('the State of a query is JSON', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);
  deps.queued = ['steer'];

  const { states } = await runLoop(params(), deps);

  expect(JSON.parse(JSON.stringify(states))).toEqual(states);
});

describe('max turns', () => {
  const limit = { maxTurns: 2 };

  test('the turn over the limit is not begun: its results are left to be chained', async () => {
    const deps = scriptedDeps([toolReply(call('a')), toolReply(call('b'))]);

    const run = await runLoop(params(limit), deps);

    expect(run.terminal).toEqual({ reason: 'max_turns', turnCount: 3 });
    expect(deps.requests).toHaveLength(2);
    expect(run.end.messages).toEqual({
      leaf: 'reply-leaf',
      pending: [{ type: 'tool_result', toolUse: { id: 'b', recordId: 'record-b' } }],
    });
  });

  test('the limit is told as an attachment', async () => {
    const run = await runLoop(params({ maxTurns: 1 }), scriptedDeps([toolReply(call('a'))]));

    expect(run.events.at(-2)).toEqual({
      type: 'attachment',
      attachment: { type: 'max_turns_reached', maxTurns: 1, turnCount: 2 },
    });
  });

  test('a message that waits at the limit is not taken', async () => {
    const deps = scriptedDeps([toolReply(call('a'))]);
    deps.queued = ['waits'];

    await runLoop(params({ maxTurns: 1 }), deps);

    expect(deps.queued).toEqual(['waits']);
  });

  test('before the limit, nothing tells of it and messages are taken', async () => {
    const deps = scriptedDeps([toolReply(call('a')), reply()]);
    deps.queued = ['steer'];

    const run = await runLoop(params(limit), deps);

    expect(run.events.filter(({ type }) => type === 'attachment')).toEqual([
      { type: 'attachment', attachment: { type: 'queued_message', messageId: 'steer' } },
    ]);
  });

  test('an answer in the last turn is no limit', async () => {
    const run = await runLoop(params(limit), scriptedDeps([toolReply(call('a')), reply()]));

    expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  });

  test.each([
    ['ended as it should', DONE],
    ['wanted another end', { ...DONE, hookStopped: true } as const],
  ])('a query that is stopped in its last turn tells both if its tool %s', async (_how, came) => {
    const deps = scriptedDeps([toolReply(call('a'))], async (_call, at) => {
      at.stop('user');
      return came;
    });
    deps.queued = ['waits'];

    const run = await runLoop(params({ maxTurns: 1 }), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
    expect(typesOf(run.events)).toContain('attachment');
    expect(deps.queued).toEqual(['waits']);
  });
});
