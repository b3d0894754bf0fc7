// Needs: nothing. The real client and store; an HTTP server that answers what no API would.
import { Secret } from '../../../src/config';
import { createAnthropic } from '../../../src/activities/call-model/anthropic-client';
import type { Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { startScriptedModel } from '../../../src/scripted-model/scripted-model';
import { contentOf } from '../../activities/contents';
import { ask, toReply } from '../../activities/call-model/asked';
import { failureOf } from '../../activities/fake-attempt';
import { given, type Given } from '../../activities/given';
import { says, text } from '../../support/replies';

let at: Given;
afterEach(() => at.close());

const SSE = { 'content-type': 'text/event-stream' };
const usage = { input_tokens: 1, output_tokens: 1 };
const START = {
  type: 'message_start',
  message: { id: 'msg', model: 'm', role: 'assistant', usage },
};
const STOP = { type: 'message_stop' };
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, of: object) => ({ type: 'content_block_delta', index, delta: of });
const closed = (index: number) => ({ type: 'content_block_stop', index });
const word = (index: number, piece: string) => delta(index, { type: 'text_delta', text: piece });
const TEXT = { type: 'text', text: '' };

const stream = (...events: readonly { readonly type: string }[]): ScriptedReply => ({
  raw: { body: events.map((it) => `event: ${it.type}\ndata: ${JSON.stringify(it)}\n\n`).join('') },
  headers: SSE,
});
const call = (id: string, name = 'Read') => [
  block(0, { type: 'tool_use', id, name, input: {} }),
  closed(0),
];

test.each<[string, ScriptedReply]>([
  ['a piece of a block that never began', stream(START, word(0, 'Hi'), STOP)],
  ['a block before its message', stream(block(0, TEXT), word(0, 'Hi'), closed(0), START, STOP)],
  ['a block that begins twice', stream(START, block(0, TEXT), block(0, TEXT), closed(0), STOP)],
  ['an end in the middle of a block', stream(START, block(0, TEXT), word(0, 'Hi'), STOP)],
  ['two calls with one id', stream(START, ...call('a'), ...call('a'), STOP)],
  ['a call whose name has a megabyte', stream(START, ...call('a', 'x'.repeat(2 ** 20)), STOP)],
  ['events that are no JSON', { raw: { body: 'event: x\ndata: {{\n\n' }, headers: SSE }],
])('%s: the whole reply is asked for, and only that one is kept', async (_what, reply) => {
  at = await given({ script: [reply, says('Hi.')] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  // What fails before the first event is tried again a moment later.
  const outcome = await ask(worker, said, attempt).catch(() => ask(worker, said, attempt.next()));

  expect(toReply(outcome).toolUses).toEqual([]);
  expect((await worker.transcript()).map(contentOf)).toEqual(['Hello', [text('Hi.')]]);
});

const manyCalls = (count: number): ScriptedReply => {
  const content = { type: 'tool_use', name: 'Bash', input: { command: '€'.repeat(500) } } as const;
  return { content: Array.from({ length: count }, () => content) };
};

test('a thousand calls in one reply fit into Event History', async () => {
  at = await given({ script: [manyCalls(1_000)] });
  const worker = at.worker();

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.toolUses).toHaveLength(1_000);
  expect(Buffer.byteLength(JSON.stringify(outcome))).toBeLessThan(2 ** 20);
});

test('a reply with more calls is none', async () => {
  at = await given({ script: [manyCalls(1_001), says('Hi.')] });
  const worker = at.worker();

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.toolUses).toEqual([]);
});

test('two blocks that come piece by piece in turn are two blocks', async () => {
  const turns = [block(0, TEXT), block(1, TEXT), word(0, 'a'), word(1, 'b'), word(0, 'A')];
  at = await given({ script: [stream(START, ...turns, closed(0), closed(1), STOP)] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  const [, ...blocks] = (await worker.transcript()).map(contentOf);
  expect(blocks).toEqual([[text('aA')], [text('b')]]);
});

test('bytes that are no UTF-8 become the mark for what cannot be read', async () => {
  const [before, after] = stream(
    START,
    block(0, TEXT),
    word(0, 'a!b'),
    closed(0),
    STOP,
  ).raw?.body?.split('!') as [string, string];
  const bytes = [Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)];
  const base64 = Buffer.concat(bytes).toString('base64');
  at = await given({ script: [{ raw: { base64 }, headers: SSE }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  expect((await worker.transcript()).map(contentOf).at(-1)).toEqual([text('a��b')]);
});

test('half a character in a prompt is not sent: the API would refuse the conversation for ever', async () => {
  at = await given({ script: [says('Hi.')] });
  const worker = at.worker();

  await ask(worker, await worker.say('cut \ud83d off, \\ud83d written'));

  const [request] = at.model.requests;
  expect(request?.rawBody.toString()).not.toMatch(/[^\\]\\ud83d/);
  expect(JSON.stringify(request?.body.messages)).toContain('cut \ufffd off, \\\\ud83d written');
});

test('a web page in place of an answer is named, and asked again later', async () => {
  const page = { raw: { body: '<html>Sign in</html>' }, headers: { 'content-type': 'text/html' } };
  at = await given({ script: [page, says('Hi.')] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  const failure = await failureOf(ask(worker, said, attempt));

  expect(failure).toMatchObject({
    type: 'ModelCall.Retry',
    message: expect.stringContaining(
      'answered with a web page. Check ANTHROPIC_BASE_URL',
    ) as string,
  });
  expect(toReply(await ask(worker, said, attempt.next())).isEmpty).toBe(false);
});

test('a redirect is not followed with the key: the error names the place', async () => {
  const elsewhere = await startScriptedModel({ script: [says('Hi.')] });
  const headers = { location: `${elsewhere.url}/v1/messages` };
  at = await given({ script: [{ raw: { status: 307 }, headers }] });
  const worker = at.worker();

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.apiError).toBe('unknown');
  expect(JSON.stringify((await worker.transcript()).at(-1))).toContain(
    `redirects to ${headers.location}. Keys are not sent on`,
  );
  expect(elsewhere.requests).toEqual([]);
  await elsewhere.close();
});

test.each<[string, ScriptedReply]>([
  ['headers and nothing behind them', { raw: { ending: 'stall' }, headers: SSE }],
  [
    'signs of life without an event',
    { raw: { body: ': alive\n\n', ending: 'stall' }, headers: SSE },
  ],
])('%s count as silence', async (_what, reply) => {
  at = await given({ script: [reply, says('Hi.')] });
  const worker = at.worker({ silenceLimitMs: 2_000 });

  await ask(worker, await worker.say('Hello'));

  expect((await worker.transcript()).map(contentOf).at(-1)).toEqual([text('Hi.')]);
});

test('an answer without end is ended, and not asked for again', async () => {
  const endless = { raw: { body: ' '.repeat(2 ** 20), ending: 'repeat' }, headers: SSE } as const;
  at = await given({ script: [endless] });
  const anthropic = createAnthropic(
    { baseUrl: at.model.url, apiKey: new Secret('key'), authToken: null, apiTimeoutMs: 60_000 },
    { longestAnswerBytes: 8 * 2 ** 20 },
  );
  const worker = at.worker({ anthropic });

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.apiError).toBe('unknown');
  expect(JSON.stringify((await worker.transcript()).at(-1))).toContain('is longer than 8 MB');
  expect(at.model.requests.map(({ clientLeft }) => clientLeft)).toEqual([true]);
});

test('an error of a megabyte is told in its beginning', async () => {
  const error = { type: 'invalid_request_error', message: 'no '.repeat(2 ** 19) } as const;
  at = await given({ script: [{ error }] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  expect(JSON.stringify((await worker.transcript()).at(-1)).length).toBeLessThan(4_000);
});
