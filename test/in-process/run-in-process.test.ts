import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { MemoryTranscript } from '../../src/in-process';
import { withModel } from '../scripted-model/with-model';
import { calls, lastMessage, plainModel, runToEnd, says, tool, use } from './builders';

const COMPLETED = { reason: 'completed', detail: 'end_turn' };

test('a plain prompt is one request, and its answer is in the transcript', async () => {
  const model = plainModel(says('hello'));
  const transcript = new MemoryTranscript();

  const { terminal } = await runToEnd({ ...model, prompt: 'hi', model: 'm', transcript });

  expect(terminal).toEqual(COMPLETED);
  expect(model.requests).toMatchObject([
    { model: 'm', stream: true, messages: [{ role: 'user', content: [{ text: 'hi' }] }] },
  ]);
  expect(transcript.chain().at(-1)).toMatchObject({
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'hello' }], stop_reason: 'end_turn' },
  });
});

test('a real client of the API fits, and raw events come through as it yields them', async () => {
  await withModel({ script: [says('hello')], isStrict: true }, async (server, client) => {
    const { events, terminal } = await runToEnd({
      prompt: 'hi',
      model: 'm',
      system: ['Be brief.'],
      callApi: (request, options) => client.messages.create(request, options),
    });

    expect(terminal).toEqual(COMPLETED);
    const streamed = events.flatMap((event) =>
      event.type === 'stream_event' ? [event.event] : [],
    );
    expect(streamed.map((event) => (event as { type: string }).type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    server.assertConsumed();
  });
});

test('the next run goes on with the conversation', async () => {
  const transcript = new MemoryTranscript();
  await runToEnd({ ...plainModel(says('one')), prompt: 'first', model: 'm', transcript });
  const model = plainModel(says('two'));

  await runToEnd({ ...model, prompt: 'second', model: 'm', transcript });

  expect(model.requests[0]?.messages).toMatchObject([
    { role: 'user', content: [{ text: 'first' }] },
    { role: 'assistant', content: [{ text: 'one' }] },
    { role: 'user', content: [{ text: 'second' }] },
  ]);
});

test('what the user writes meanwhile follows the tool results', async () => {
  const model = plainModel(calls(use('Say')), says('done'));
  const waiting = ['hurry up'];
  const takeSteering = () => waiting.splice(0);

  await runToEnd({ ...model, prompt: 'go', model: 'm', tools: [tool('Say')], takeSteering });

  const [first, second] = lastMessage(model.requests[1]);
  expect(first).toMatchObject({ type: 'tool_result' });
  expect(second).toMatchObject({ text: expect.stringContaining('hurry up') as string });
});

test('an API that fails is the answer, not an exception', async () => {
  const transcript = new MemoryTranscript();
  const model = plainModel();

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', transcript });

  expect(terminal).toEqual({ reason: 'completed', detail: 'api_error' });
  expect(transcript.chain().at(-1)).toMatchObject({
    isApiErrorMessage: true,
    message: { content: [{ text: 'API error (no answer): No reply for request 1.' }] },
  });
});

test('a stream that ends in the middle of the reply is an error, and its part is dropped', async () => {
  const transcript = new MemoryTranscript();
  const model = plainModel(says('half an answer'));
  const callApi: typeof model.callApi = async function* (request, options) {
    for await (const event of await model.callApi(request, options)) {
      if (event.type === 'message_delta') return;
      yield event;
    }
  };

  const { terminal } = await runToEnd({ prompt: 'go', model: 'm', transcript, callApi });

  expect(terminal).toEqual({ reason: 'completed', detail: 'api_error' });
  expect(transcript.chain()).toMatchObject([{ type: 'user' }, { isApiErrorMessage: true }]);
});

test('a context that is not in the transcript is refused', () => {
  const read = () => new MemoryTranscript().chain('elsewhere');

  expect(read).toThrow('Record elsewhere is not in this transcript.');
});

test('an output limit is nudged on, and told in the end', async () => {
  const cut = { ...says('and so on'), stop_reason: 'max_tokens' as const };
  const model = plainModel(cut, cut, cut, cut);
  const transcript = new MemoryTranscript();

  const { terminal } = await runToEnd({ ...model, prompt: 'go', model: 'm', transcript });

  expect(terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
  expect(lastMessage(model.requests[1])).toMatchObject([
    { text: expect.stringContaining('straight on') as string },
  ]);
  expect(transcript.chain().at(-1)).toMatchObject({ isApiErrorMessage: true });
});

test('capped output asks for 8,000 tokens, then once for 64,000', async () => {
  const cut = { ...says('and so on'), stop_reason: 'max_tokens' as const };
  const model = plainModel(cut, says('done'));

  await runToEnd({ ...model, prompt: 'go', model: 'm', gates: { cappedOutput: true } });

  expect(model.requests.map(({ max_tokens }) => max_tokens)).toEqual([8_000, 64_000]);
});

test('nothing of it needs Temporal', async () => {
  const entry = path.join(__dirname, '../../src/in-process/index.ts');
  const script = `require(${JSON.stringify(entry)}); console.log(Object.keys(require.cache).join('\\n'))`;

  const { stdout } = await promisify(execFile)(process.execPath, [
    '--require',
    require.resolve('tsx/cjs'),
    '--eval',
    script,
  ]);

  const loaded = stdout.split('\n');
  expect(loaded).toContain(entry);
  expect(loaded.filter((file) => file.includes('@temporalio'))).toEqual([]);
});
