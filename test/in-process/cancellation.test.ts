import type { ToolContext, ToolResult } from '../../src/tools/tool';
import { MemoryTranscript, runInProcess } from '../../src/in-process';
import { later } from '../loop/run-loop';
import {
  calls,
  lastMessage,
  plainModel,
  runToEnd,
  says,
  tool,
  use,
  type PlainModel,
} from './builders';

const LONG = { ...says('a long answer in many pieces'), deltaChars: 1 };

/** A safe tool whose calls wait for each other: each ends when so many run at once. */
function meeting(size: number) {
  const waiting: (() => void)[] = [];
  return tool('Meet', {
    isConcurrencySafe: () => true,
    async call() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === size) waiting.forEach((meet) => meet());
      });
      return { content: 'met', structured: null };
    },
  });
}

/** A tool that ends only when it is stopped. */
function endless(name = 'Endless') {
  const seen = { started: 0, stopped: 0 };
  const started = later<undefined>();
  const call = (_input: object, { signal }: ToolContext): Promise<ToolResult> =>
    new Promise((_resolve, reject) => {
      seen.started += 1;
      signal.addEventListener('abort', () => {
        seen.stopped += 1;
        reject(signal.reason as Error);
      });
      started.resolve(undefined);
    });
  return { seen, hasStarted: started.promise, tool: tool(name, { call }) };
}

test('parallel safe calls overlap, and their results keep the order of the request', async () => {
  const model = plainModel(calls(use('Meet'), use('Meet'), use('Meet')), says('done'));

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', tools: [meeting(3)] });

  expect(terminal.reason).toBe('completed');
  expect(lastMessage(model.requests[1])).toMatchObject(
    [0, 1, 2].map((index) => ({ tool_use_id: `toolu_scripted_0_${index}`, content: 'met' })),
  );
});

test('a safe call starts before the reply ends', async () => {
  const model = plainModel(calls(use('Safe'), { type: 'text', text: 'and then' }), says('done'));
  const started = later<undefined>();
  const safe = tool('Safe', {
    isConcurrencySafe: () => true,
    async call() {
      started.resolve(undefined);
      return { content: 'seen', structured: null };
    },
  });
  // The model says no more before the call that it made has started.
  const callApi: typeof model.callApi = async function* (request, options) {
    for await (const event of await model.callApi(request, options)) {
      yield event;
      if (event.type === 'content_block_stop') await started.promise;
    }
  };

  const { terminal } = await runToEnd({ prompt: 'go', model: 'm', tools: [safe], callApi });

  expect(terminal.reason).toBe('completed');
  expect(lastMessage(model.requests[1])).toMatchObject([{ content: 'seen' }]);
});

test('nothing is asked before the first pull', async () => {
  const model = plainModel(says('hello'));

  runInProcess({ ...model, prompt: 'hi', model: 'm' });
  await new Promise(setImmediate);

  expect(model.requests).toEqual([]);
});

test('a slow consumer bounds what is read from the stream', async () => {
  const model = plainModel(LONG);
  let told = 0;
  const ahead: number[] = [];

  await runToEnd({ ...model, prompt: 'hi', model: 'm' }, async (event) => {
    if (event.type !== 'stream_event') return;
    told += 1;
    await new Promise(setImmediate);
    ahead.push(model.eventsRead - told);
  });

  expect(ahead.length).toBeGreaterThan(20);
  expect(Math.max(...ahead)).toBe(0);
});

test('an early end closes the stream and reads no further', async () => {
  const model = plainModel(LONG);

  for await (const event of runInProcess({ ...model, prompt: 'hi', model: 'm' })) {
    if (event.type === 'stream_event') break;
  }

  expect(model).toMatchObject({ eventsRead: 1, streamsClosed: 1 });
});

test('an early end stops the tool that runs, waits for it, and starts none of those that wait', async () => {
  const running = endless('Running');
  const waiting = endless('Waiting');
  const model = plainModel(calls(use('Quick'), use('Running'), use('Waiting')));
  const tools = [tool('Quick'), running.tool, waiting.tool];

  for await (const event of runInProcess({ ...model, prompt: 'go', model: 'm', tools })) {
    if (event.type !== 'tool_result') continue;
    await running.hasStarted;
    break;
  }

  expect(running.seen).toEqual({ started: 1, stopped: 1 });
  expect(waiting.seen).toEqual({ started: 0, stopped: 0 });
});

test('a stop that comes while a call is checked finds no tool started', async () => {
  const stop = new AbortController();
  const { tool: late, seen } = endless();
  const model = plainModel(calls(use('Endless')));

  const { terminal } = await runToEnd({
    ...model,
    prompt: 'go',
    model: 'm',
    tools: [late],
    signal: stop.signal,
    async refuse() {
      stop.abort();
      return null;
    },
  });

  expect(terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
  expect(seen.started).toBe(0);
});

test('a conversation that was left in mid-turn can go on: calls without a result get one', async () => {
  const transcript = new MemoryTranscript();
  const left = plainModel(calls(use('Say')));
  for await (const event of runInProcess({ ...left, prompt: 'go', model: 'm', transcript })) {
    if (event.type === 'assistant') break;
  }
  const model = plainModel(says('where were we?'));

  const { terminal } = await runToEnd({ ...model, prompt: 'go on', model: 'm', transcript });

  expect(terminal.reason).toBe('completed');
  expect(lastMessage(model.requests[0])).toMatchObject([
    { type: 'tool_result', is_error: true },
    { type: 'text', text: 'go on' },
  ]);
});

describe('a stop by the signal', () => {
  test('while the reply streams keeps what came of it, and the model is told', async () => {
    const stop = new AbortController();
    const transcript = new MemoryTranscript();
    const model = plainModel(LONG);

    const { terminal } = await runToEnd(
      { ...model, prompt: 'hi', model: 'm', transcript, signal: stop.signal },
      () => {
        if (model.eventsRead === 10) stop.abort();
      },
    );

    expect(terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(model.streamsClosed).toBe(1);
    expect(transcript.chain().slice(1)).toMatchObject([
      { type: 'assistant', message: { content: [{ text: 'a long ' }] } },
      { type: 'user', message: { content: [{ text: '[Request interrupted by user]' }] } },
    ]);
  });

  test('while tools run ends them, and each call has its result', async () => {
    const stop = new AbortController();
    const transcript = new MemoryTranscript();
    const { tool: running, seen, hasStarted } = endless();
    const model = plainModel(calls(use('Endless'), use('Say')));
    void hasStarted.then(() => stop.abort());

    const { terminal } = await runToEnd({
      ...model,
      prompt: 'go',
      model: 'm',
      tools: [running, tool('Say')],
      transcript,
      signal: stop.signal,
    });

    expect(terminal).toEqual({ reason: 'aborted_tools', by: 'user' });
    expect(seen).toEqual({ started: 1, stopped: 1 });
    expect(transcript.chain().slice(-3)).toMatchObject([
      { message: { content: [{ tool_use_id: 'toolu_scripted_0_0', is_error: true }] } },
      { message: { content: [{ tool_use_id: 'toolu_scripted_0_1', is_error: true }] } },
      { message: { content: [{ text: '[Request interrupted by user for tool use]' }] } },
    ]);
  });

  test('before it began asks nothing', async () => {
    const model = plainModel(says('hello'));

    const { terminal } = await runToEnd({
      ...model,
      prompt: 'hi',
      model: 'm',
      signal: AbortSignal.abort(),
    });

    expect(terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(model.requests).toEqual([]);
  });
});

describe('a timeout', () => {
  test('closes a connection that says nothing, and ends like any other stop', async () => {
    const closed = later<undefined>();
    const callApi: PlainModel['callApi'] = async function* (_request, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      closed.resolve(undefined);
      signal.throwIfAborted();
      yield* [];
    };

    const { terminal } = await runToEnd({
      prompt: 'go',
      model: 'm',
      callApi,
      signal: AbortSignal.timeout(10),
    });

    await closed.promise;
    expect(terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
  });

  test('while the conversation is summarised ends the run with the conversation as it was', async () => {
    const transcript = new MemoryTranscript();
    const full = plainModel(says('long', { input_tokens: 990_000 }));
    await runToEnd({ ...full, prompt: 'first', model: 'm', transcript });
    const stop = new AbortController();
    const model = plainModel(says('<summary>all</summary>'));

    const { terminal } = await runToEnd({
      prompt: 'second',
      model: 'm',
      transcript,
      signal: stop.signal,
      callApi(request, options) {
        stop.abort();
        return model.callApi(request, options);
      },
    });

    expect(terminal).toEqual({ reason: 'aborted_streaming', by: 'user' });
    expect(transcript.chain().filter(({ type }) => type === 'system')).toEqual([]);
  });
});
