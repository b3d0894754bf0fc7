import { once } from 'node:events';
import { createAgentLoop, type Model } from '../../src/template';
import { asks, config, inShort, PROMPT, runToEnd, says, scripted, type Said } from './builders';

test('cooperative: a flag set while a tool runs ends the run after it, results kept', async () => {
  const stop = new AbortController();
  const tools = new Map([
    ['echo', async () => 'kept'],
    ['stop', async () => (stop.abort(), 'stopped')],
  ]);
  const { model, requests } = scripted(asks('echo', 'stop', 'echo'));

  const { told, ending } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, tools, signal: stop.signal }),
  );

  expect(told.slice(2)).toEqual([
    ...['tool_call echo', 'tool_result echo', 'tool_call stop', 'tool_result stop'],
    'done/aborted',
  ]);
  expect(ending.messages.slice(2)).toMatchObject([
    { content: 'kept', isError: false },
    { content: 'stopped', isError: false },
    { isError: true },
  ]);
  expect(requests).toHaveLength(1);
});

test('cooperative: a flag set while the model answers keeps the reply and runs none of its calls', async () => {
  const stop = new AbortController();
  const model: Model<Said> = { complete: async () => (stop.abort(), asks('echo')) };

  const { told } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, signal: stop.signal }),
  );

  expect(told).toEqual(['thinking', 'response', 'done/aborted']);
});

test('immediate: .return() tells nothing more, gives no ending, and runs every finally', async () => {
  const closed: string[] = [];
  const loop = createAgentLoop<Said, 'line'>(scripted(asks('tail')).model, PROMPT, {
    ...config,
    tools: new Map([
      [
        'tail',
        async function* () {
          try {
            for (;;) yield 'line' as const;
          } finally {
            closed.push('file');
          }
        },
      ],
    ]),
    onEnd: (turns) => closed.push(`loop after ${turns} turn`),
  });
  const told: string[] = [];
  for await (const event of loop) {
    told.push(event === 'line' ? event : inShort(event));
    if (event === 'line') break; // What `break` calls is `.return()`.
  }

  expect(told).toEqual(['thinking', 'response', 'tool_call tail', 'line']);
  expect(closed).toEqual(['file', 'loop after 1 turn']);
  expect(await loop.next()).toEqual({ value: undefined, done: true });
});

test('timeout: a signal with a time limit reaches the request and ends the run', async () => {
  let released = false;
  const model: Model<Said> = {
    async complete(_, { signal }) {
      await once(signal, 'abort');
      released = true;
      throw signal.reason;
    },
  };

  const { told } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, signal: AbortSignal.timeout(20) }),
  );

  expect(told).toEqual(['thinking', 'done/aborted']);
  expect(released).toBe(true);
});

test('a run that is over before it began asks nobody', async () => {
  const { model, requests } = scripted(says('never'));

  const { told } = await runToEnd(
    createAgentLoop(model, PROMPT, { ...config, signal: AbortSignal.abort() }),
  );

  expect(told).toEqual(['done/aborted']);
  expect(requests).toEqual([]);
});

test('the cleanup runs too when a hook throws', async () => {
  const ended: number[] = [];
  const onBeforeToolCall = () => Promise.reject(new Error('no desk'));

  const run = runToEnd(
    createAgentLoop(scripted(asks('echo')).model, PROMPT, {
      ...config,
      onBeforeToolCall,
      onEnd: (turns) => ended.push(turns),
    }),
  );

  await expect(run).rejects.toThrow('no desk');
  expect(ended).toEqual([1]);
});
