import type { LoopEvent } from '../../src/loop/events';
import type { ModelEvent } from '../../src/loop/deps';
import type { ModelOutcome } from '../../src/loop/outcomes';
import { queryLoop } from '../../src/loop/query-loop';
import { call, DONE, gates, params, reply, safeCall, toolReply } from './builders';
import { later, runLoop, settle } from './run-loop';
import { scriptedDeps, type Step } from './scripted-deps';

const EVENTS = ['one', 'two', 'three'];

/** Streams EVENTS and notes how far it was read, and whether it was closed. */
function watchedStream() {
  const seen = { read: 0, closed: false };
  const step: Step = async function* () {
    try {
      for (const event of EVENTS) {
        seen.read += 1;
        yield { type: 'stream_event', event };
      }
      return reply();
    } finally {
      seen.closed = true;
    }
  };
  return { seen, step };
}

test('stream events are told one by one, as they are read', async () => {
  const { seen, step } = watchedStream();
  const readWhenTold: number[] = [];

  await runLoop(params(), scriptedDeps([step]), (event) => {
    if (event.type === 'stream_event') readWhenTold.push(seen.read);
  });

  expect(readWhenTold).toEqual([1, 2, 3]);
});

test('nothing happens before the first pull', async () => {
  const deps = scriptedDeps([reply()]);

  queryLoop(params(), deps);
  await settle();

  expect(deps.requests).toEqual([]);
});

test('an early end reaches the model stream, and nothing more is told', async () => {
  const { seen, step } = watchedStream();
  const loop = queryLoop(params(), scriptedDeps([step]));
  await loop.next();
  await loop.next();

  const end = await loop.return(undefined as never);

  expect(end).toEqual({ done: true, value: undefined });
  expect(seen).toEqual({ read: 1, closed: true });
  expect(await loop.next()).toEqual({ done: true, value: undefined });
});

test('a generator that delegates with yield* tells what the loop tells, as it tells it, and gets its terminal', async () => {
  const { seen, step } = watchedStream();
  const readWhenTold: number[] = [];
  async function* outer(): AsyncGenerator<LoopEvent | 'before', string> {
    yield 'before';
    const { reason } = yield* queryLoop(params(), scriptedDeps([step]));
    return reason;
  }

  const composed = outer();
  let told = await composed.next();
  for (; told.done !== true; told = await composed.next()) {
    if (told.value !== 'before' && told.value.type === 'stream_event') readWhenTold.push(seen.read);
  }

  expect(readWhenTold).toEqual([1, 2, 3]);
  expect(told.value).toBe('completed');
});

test('an early end goes through yield* to the stream', async () => {
  const { seen, step } = watchedStream();
  async function* outer(): AsyncGenerator<LoopEvent> {
    yield* queryLoop(params(), scriptedDeps([step]));
  }

  for await (const { type } of outer()) if (type === 'stream_event') break;

  expect(seen).toEqual({ read: 1, closed: true });
});

test('a stream that throws ends the loop with its error', async () => {
  const broken: Step = async function* () {
    yield { type: 'stream_event', event: 'one' };
    throw new Error('a bug of the host');
  };

  await expect(runLoop(params(), scriptedDeps([broken]))).rejects.toThrow('a bug of the host');
});

describe('a safe call that is ready early', () => {
  const ready = (id: string, stream = 'stream'): ModelEvent => ({
    type: 'tool_ready',
    stream,
    toolUse: safeCall(id),
  });

  test('starts before the reply ends, and runs once', async () => {
    const atEndOfStream: number[] = [];
    const step: Step = async function* (deps) {
      yield ready('a');
      atEndOfStream.push(deps.toolCalls.length);
      return toolReply(safeCall('a'), call('b'));
    };
    const deps = scriptedDeps([step, reply()]);

    await runLoop(params(), deps);

    expect(atEndOfStream).toEqual([1]);
    expect(deps.toolCalls.map(({ toolUse }) => toolUse.id)).toEqual(['a', 'b']);
  });

  test('waits for the end of the reply when the gate is off', async () => {
    const atEndOfStream: number[] = [];
    const step: Step = async function* (deps) {
      yield ready('a');
      atEndOfStream.push(deps.toolCalls.length);
      return toolReply(safeCall('a'));
    };
    const deps = scriptedDeps([step, reply()]);

    await runLoop(params({ gates: gates({ streamingToolExecution: false }) }), deps);

    expect(atEndOfStream).toEqual([0]);
    expect(deps.toolCalls).toHaveLength(1);
  });

  test('is void when the kept reply came from another stream', async () => {
    const step: Step = async function* () {
      yield ready('a', 'broken stream');
      return toolReply(safeCall('b'));
    };
    const deps = scriptedDeps([step, reply()]);

    const run = await runLoop(params(), deps);

    expect(toldResults(run.events)).toEqual(['b']);
    expect(deps.requests[1]?.messages.pending).toHaveLength(1);
  });

  test('is waited for, then forgotten, when the request fails after all', async () => {
    const running = later<typeof DONE>();
    const failed: ModelOutcome = {
      type: 'failed',
      messages: { leaf: null, pending: [] },
      message: 'boom',
    };
    const step: Step = async function* () {
      yield ready('a');
      return failed;
    };
    const loop = runLoop(
      params(),
      scriptedDeps([step], () => running.promise),
    );
    const isOver = jest.fn();
    void loop.then(isOver);
    await settle();
    expect(isOver).not.toHaveBeenCalled();

    running.resolve(DONE);

    const run = await loop;
    expect(toldResults(run.events)).toEqual([]);
    expect(run.terminal.reason).toBe('model_error');
  });
});

function toldResults(events: readonly LoopEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.toolUse.id] : []));
}
