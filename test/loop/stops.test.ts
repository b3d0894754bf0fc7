import type { ModelOutcome } from '../../src/loop/outcomes';
import {
  call,
  COMPACT_STOPPED,
  DONE,
  FULL,
  params,
  reply,
  safeCall,
  toolReply,
  tooLong,
} from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps, type Step } from './scripted-deps';

const interrupted = (
  changes: Partial<Extract<ModelOutcome, { type: 'interrupted' }>> = {},
): ModelOutcome => ({
  type: 'interrupted',
  messages: { leaf: 'part', pending: [] },
  stream: 'stream',
  toolUses: [],
  ...changes,
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

describe('a stop while the conversation is summarised', () => {
  test('before the request ends aborted_streaming, with nothing sent', async () => {
    const deps = scriptedDeps([FULL], { compactions: [COMPACT_STOPPED] });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(deps.requests).toHaveLength(1);
    expect(run.end.messages).toEqual({
      leaf: 'full',
      pending: [{ type: 'interruption', during: 'streaming' }],
    });
  });

  test('after the request was refused ends aborted_streaming where the request ended', async () => {
    const deps = scriptedDeps([tooLong({ leaf: 'asked' })], { compactions: [COMPACT_STOPPED] });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(run.end.messages.leaf).toBe('asked');
  });

  test('that the user asked for ends aborted_streaming', async () => {
    const asked = { type: 'compact_command', leaf: 'full' } as const;
    const deps = scriptedDeps([asked], { compactions: [COMPACT_STOPPED] });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
  });
});

test('a stop while Stop hooks run ends aborted_streaming, and keeps their feedback', async () => {
  const deps = scriptedDeps([reply({ hasStopHooks: true })], {
    verdicts: [
      (at) => {
        at.stop('user');
        return { type: 'blocked', leaf: 'feedback' };
      },
    ],
  });

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
  expect(run.end.messages.leaf).toBe('feedback');
});

test('a message that was taken before the stop came is kept behind the results', async () => {
  const deps = scriptedDeps([toolReply(call('a'))]);
  deps.queued = ['steer'];

  const run = await runLoop(params(), deps, (event) => {
    if (event.type === 'attachment') deps.stop('user');
  });

  expect(run.terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
  expect(run.end.messages.pending).toEqual([
    { type: 'tool_result', toolUse: { id: 'a', recordId: 'record-a' } },
    { type: 'message', messageId: 'steer', steering: true },
    { type: 'interruption', during: 'tools' },
  ]);
});

function lost(id: string) {
  return {
    type: 'tool_result',
    toolUse: { id, recordId: `record-${id}` },
    lost: 'user_interrupted',
  };
}
