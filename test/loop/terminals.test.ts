import type { ModelOutcome } from '../../src/loop/deps';
import type { Terminal } from '../../src/loop/terminal';
import {
  call,
  DONE,
  params,
  reply,
  runLoop,
  safeCall,
  scriptedDeps,
  toolReply,
  truncated,
  type Step,
} from './builders';

const interrupted = (
  changes: Partial<Extract<ModelOutcome, { type: 'interrupted' }>> = {},
): ModelOutcome => ({
  type: 'interrupted',
  messages: { leaf: 'part', pending: [] },
  stream: 'stream',
  toolUses: [],
  ...changes,
});

test.each<[Terminal, readonly ModelOutcome[]]>([
  [{ reason: 'completed', detail: 'end_turn' }, [reply()]],
  [{ reason: 'completed', detail: 'end_turn' }, [reply({ stopReason: 'refusal' })]],
  [{ reason: 'completed', detail: 'api_error' }, [reply({ apiError: 'rate_limit' })]],
  [{ reason: 'completed', detail: 'output_limit' }, Array(4).fill(truncated()) as ModelOutcome[]],
  [{ reason: 'completed', detail: 'no_request' }, [{ type: 'no_request', leaf: 'local' }]],
  [{ reason: 'prompt_too_long' }, [reply({ apiError: 'prompt_too_long' })]],
  [{ reason: 'image_error' }, [reply({ apiError: 'media_size' })]],
  [
    { reason: 'model_error', message: 'boom' },
    [{ type: 'failed', messages: { leaf: null, pending: [] }, message: 'boom' }],
  ],
  [{ reason: 'max_turns', turnCount: 2 }, [toolReply(call('a'))]],
  [{ reason: 'aborted_streaming', by: 'user' }, [interrupted()]],
])('%j is reached', async (terminal, steps) => {
  const run = await runLoop(params({ maxTurns: 1 }), scriptedDeps(steps));

  expect(run.terminal).toEqual(terminal);
  expect(run.end.terminal).toEqual(terminal);
});

test('a local command is no request: the context ends where its answer does', async () => {
  const run = await runLoop(params(), scriptedDeps([{ type: 'no_request', leaf: 'local' }]));

  expect(run.end.messages).toEqual({ leaf: 'local', pending: [] });
  expect(run.events.map(({ type }) => type)).toEqual(['stream_request_start', 'end']);
});

test('a call that failed before anything was chained leaves the whole context to be chained', async () => {
  const { messages } = params();

  const run = await runLoop(
    params(),
    scriptedDeps([{ type: 'failed', messages, message: 'boom' }]),
  );

  expect(run.end.messages).toEqual(messages);
});

describe('a stop while the reply streams', () => {
  const stopped: Step = async function* (deps) {
    yield { type: 'stream_event', event: 'first' };
    deps.stop('user');
    return interrupted({ toolUses: [call('a'), safeCall('b')] });
  };

  test('ends aborted_streaming, with one result for each call of the part that was kept', async () => {
    const deps = scriptedDeps([stopped]);

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(deps.toolCalls).toEqual([]);
    expect(run.end.messages).toEqual({
      leaf: 'part',
      pending: [lost('a'), lost('b'), { type: 'interruption', during: 'streaming' }],
    });
  });

  test('keeps an early call that had finished', async () => {
    const withEarly: Step = async function* (deps) {
      yield { type: 'tool_ready', stream: 'stream', toolUse: safeCall('early') };
      deps.stop('user');
      return interrupted({ toolUses: [safeCall('early'), safeCall('late')] });
    };

    const run = await runLoop(params(), scriptedDeps([withEarly]));

    expect(run.end.messages.pending).toEqual([
      { type: 'tool_result', toolUse: { id: 'early', recordId: 'record-early' } },
      lost('late'),
      { type: 'interruption', during: 'streaming' },
    ]);
  });

  test('is heard even if the reply was whole by then', async () => {
    const whole: Step = async function* (deps) {
      yield { type: 'stream_event', event: 'last' };
      deps.stop('user');
      return toolReply(call('a'));
    };

    const run = await runLoop(params({ maxTurns: 1 }), scriptedDeps([whole]));

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(run.end.messages.leaf).toBe('reply-leaf');
    expect(run.events.some(({ type }) => type === 'attachment')).toBe(false);
  });

  test('that only the host knows of takes no message, which would be lost', async () => {
    const deps = scriptedDeps([interrupted({ toolUses: [call('a')] })]);
    deps.queued = ['waits'];

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(deps.queued).toEqual(['waits']);
  });

  test('by a new message leaves no note', async () => {
    const byMessage: Step = async function* (deps) {
      yield { type: 'stream_event', event: 'first' };
      deps.stop('new_message');
      return interrupted();
    };

    const run = await runLoop(params(), scriptedDeps([byMessage]));

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'new_message' });
    expect(run.end.messages.pending).toEqual([]);
  });
});

describe('a stop while tools run', () => {
  test('ends aborted_tools: what runs is interrupted, what waits never starts, each call has its result', async () => {
    const deps = scriptedDeps(
      [toolReply(call('a'), call('b'), safeCall('c'))],
      async (_call, at) => {
        at.stop('user');
        return { type: 'interrupted' };
      },
    );
    deps.queued = ['waits'];

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
    expect(deps.toolCalls.map(({ toolUse }) => toolUse.id)).toEqual(['a']);
    expect(run.end.messages).toEqual({
      leaf: 'reply-leaf',
      pending: [lost('a'), lost('b'), lost('c'), { type: 'interruption', during: 'tools' }],
    });
    expect(deps.queued).toEqual(['waits']);
  });

  test('keeps the results that were there before', async () => {
    const deps = scriptedDeps([toolReply(call('a'), call('b'))], async (_call, at) => {
      at.stop('user');
      return DONE;
    });

    const run = await runLoop(params(), deps);

    expect(run.end.messages.pending[0]).toEqual({
      type: 'tool_result',
      toolUse: { id: 'a', recordId: 'record-a' },
    });
  });

  test('by a new message leaves no note', async () => {
    const deps = scriptedDeps([toolReply(call('a'))], async (_call, at) => {
      at.stop('new_message');
      return DONE;
    });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_tools', by: 'new_message' });
    expect(run.end.messages.pending).toHaveLength(1);
  });
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

function lost(id: string) {
  return {
    type: 'tool_result',
    toolUse: { id, recordId: `record-${id}` },
    lost: 'user_interrupted',
  };
}
