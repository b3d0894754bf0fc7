import { createAgentLoop, type Model } from '../../src/template';
import { asks, config, inShort, PROMPT, says, scripted, type Said } from './builders';

test('a loop is cold: nothing is asked before the first next()', async () => {
  const { model, requests } = scripted(says('hello'));

  const loop = createAgentLoop(model, PROMPT, config);
  expect(requests).toHaveLength(0);
  await loop.next();
  expect(requests).toHaveLength(0); // It told that it thinks; it asks when it is heard.
  await loop.next();

  expect(requests).toHaveLength(1);
});

test('a slow consumer holds the tools back: each step waits to be asked for', async () => {
  const ran: string[] = [];
  const tools = new Map([['echo', async () => ran.push('echo')]]);
  const { model } = scripted(asks('echo', 'echo', 'echo'), says('bye'));
  const loop = createAgentLoop(model, PROMPT, { ...config, tools });
  const seen: number[] = [];

  for await (const event of loop) {
    await new Promise(setImmediate);
    if (event.type === 'tool_result') seen.push(ran.length);
  }

  expect(seen).toEqual([1, 2, 3]);
});

test('a streaming model and a tool with progress are told as they go, unbuffered', async () => {
  const made: string[] = [];
  const spell = async function* (word: string) {
    for (const letter of word) {
      made.push(letter);
      yield letter;
    }
  };
  const model: Model<Said, string> = {
    async *complete(messages) {
      yield* spell('ab');
      return messages.length === 1 ? asks('spell') : says('bye');
    },
  };
  const tools = new Map([['spell', () => spell('cd')]]);
  const seen: string[] = [];

  for await (const event of createAgentLoop(model, PROMPT, { ...config, tools })) {
    if (typeof event === 'string') seen.push(`${event} of ${made.length}`);
  }

  expect(seen).toEqual(['a of 1', 'b of 2', 'c of 3', 'd of 4', 'a of 5', 'b of 6']);
});

test('an agent can be a tool of another: its events come through, its last word is the result', async () => {
  const inner = scripted(asks('echo'), says('42'));
  const outer = scripted(asks('research'), says('bye'));
  async function* research() {
    const { messages } = yield* createAgentLoop(inner.model, PROMPT, config);
    const last = messages.at(-1);
    return last?.role === 'assistant' ? last.reply.text : '';
  }
  type Inner = ReturnType<typeof research> extends AsyncGenerator<infer Event> ? Event : never;
  const told: string[] = [];

  for await (const event of createAgentLoop<Said, Inner>(outer.model, PROMPT, {
    ...config,
    tools: new Map([['research', research]]),
  })) {
    told.push(inShort(event));
  }

  expect(told).toEqual([
    ...['thinking', 'response', 'tool_call research'],
    ...['thinking', 'response', 'tool_call echo', 'tool_result echo'],
    ...['thinking', 'response', 'done/stop_condition'],
    ...['tool_result research', 'thinking', 'response', 'done/stop_condition'],
  ]);
  expect(outer.requests[1]?.at(-1)).toMatchObject({ role: 'tool', content: '42' });
});

test('an approval pauses the run for as long as it takes, and resumes it', async () => {
  let approve!: (allowed: boolean) => void;
  const answer = new Promise<boolean>((resolve) => (approve = resolve));
  let asked!: () => void;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const onBeforeToolCall = () => (asked(), answer);
  const { model } = scripted(asks('echo'), says('bye'));
  const loop = createAgentLoop(model, PROMPT, { ...config, onBeforeToolCall });
  await loop.next();
  await loop.next();

  const paused = loop.next();
  await isAsked;
  approve(true);

  expect(await paused).toMatchObject({ value: { type: 'tool_call', data: { name: 'echo' } } });
});
