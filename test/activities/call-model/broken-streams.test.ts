import Anthropic from '@anthropic-ai/sdk';
import type { Interruption, Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { failureOf } from '../fake-attempt';
import { contentOf } from '../contents';
import { given, type Given } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;
const broken = (interruption: Interruption): ScriptedReply => ({
  content: [say('Half.'), say('Rest.')],
  interruptions: [interruption],
});

const hi: ScriptedReply = { content: [say('Hi.')] };
/** Nothing came for 2 s: it is meant to be noticed once, and never while a whole reply is on its way. */
const MUTE = { silenceLimitMs: 2_000 };
const inMidReply: [string, ScriptedReply][] = [
  ['a connection that is cut', broken({ type: 'cut', afterBlocks: 1 })],
  ['an error event', broken({ type: 'error', error: 'overloaded_error', afterBlocks: 1 })],
  [
    'bytes that are no event',
    broken({ type: 'garbage', text: 'event: x\ndata: {\n\n', afterBlocks: 1 }),
  ],
  ['silence', broken({ type: 'stall', afterBlocks: 1 })],
];

test('a connection that closes at once is retried and counted, without a word to observers', async () => {
  at = await given({ script: [{ cut: 'at_once' }, hi] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  const failure = await failureOf(ask(worker, said, attempt));
  const outcome = await ask(worker, said, attempt.next());

  expect(failure).toMatchObject({ type: 'ModelCall.Retry', nextRetryDelay: 563 });
  const { store } = await worker.session();
  expect(await store.ledger.failures(attempt.key)).toMatchObject([{ status: null }]);
  expect((await worker.log()).filter(({ type }) => type === 'api_retry')).toEqual([]);
  expect(toReply(outcome).stream).toContain(':2:0');
  expect(await worker.transcript()).toHaveLength(2);
});

test.each(inMidReply)(
  'after %s in mid-reply the whole reply is asked for at once',
  async (_what, reply) => {
    at = await given({ script: [reply, hi] });
    const worker = at.worker(MUTE);
    const said = await worker.say('Hello');
    const attempt = said.attempt();

    const outcome = toReply(await ask(worker, said, attempt));

    const [first, second] = at.model.requests.map(({ body }) => body);
    expect(second).toEqual({ ...first, stream: false });
    expect(outcome.stream).toContain(':1:1');
    const { store } = await worker.session();
    expect(await store.ledger.failures(attempt.key)).toEqual([]);
    expect((await worker.transcript()).map(contentOf)).toEqual(['Hello', [say('Hi.')]]);
  },
);

test('what observers were told of a stream that broke is taken back before the whole reply is told', async () => {
  at = await given({ script: [broken({ type: 'cut', afterBlocks: 1 }), hi] });
  const worker = at.worker();

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  const told = (await worker.log()).filter((entry) => 'stream' in entry);
  expect(told.map(({ type }) => type)).toEqual([
    ...['stream_started', 'record', 'stream_discarded'],
    ...['stream_started', 'record', 'stream_committed'],
  ]);
  expect(told.at(2)).toMatchObject({ stream: expect.stringContaining(':1:0') as string });
  expect(told.at(-1)).toMatchObject({ stream: outcome.stream, leaf: outcome.leaf });
});

test('a call in a reply that came whole has its input', async () => {
  const call = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'Read',
    input: { file_path: 'a' },
  } as const;
  at = await given({ script: [broken({ type: 'cut', afterBlocks: 1 }), { content: [call] }] });
  const worker = at.worker();

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome).toMatchObject({ stopReason: 'tool_use', toolUses: [{ id: 'toolu_1' }] });
  expect((await worker.transcript()).map(contentOf).at(-1)).toEqual([call]);
});

test('a whole reply that fails as well is retried with a delay, and counted once', async () => {
  const cut = broken({ type: 'cut', afterBlocks: 1 });
  at = await given({ script: [cut, { error: { type: 'api_error' } }, hi] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  const failure = await failureOf(ask(worker, said, attempt));
  const outcome = toReply(await ask(worker, said, attempt.next()));

  expect(failure).toMatchObject({ type: 'ModelCall.Retry', nextRetryDelay: 563 });
  const { store } = await worker.session();
  expect(await store.ledger.failures(attempt.key)).toMatchObject([{ status: 500 }]);
  expect(outcome.stream).toContain(':2:0');
  expect(at.model.requests.map(({ body }) => body.stream)).toEqual([true, false, true]);
});

test('a stream that ends without its end is broken, not short', async () => {
  at = await given();
  const asked: unknown[] = [];
  const worker = at.worker({ anthropic: endingAfterOneBlock(asked) });

  const failure = await failureOf(ask(worker, await worker.say('Hello')));

  expect(failure.type).toBe('ModelCall.Retry');
  expect(asked).toEqual([true, false]);
  expect(await worker.transcript()).toHaveLength(1);
});

test('a stream in which nothing comes any more is given up, and observers hear why', async () => {
  at = await given({ script: [broken({ type: 'stall', afterBlocks: 1 }), hi] });
  const worker = at.worker(MUTE);

  await ask(worker, await worker.say('Hello'));

  expect((await worker.log()).find(({ type }) => type === 'stream_discarded')).toMatchObject({
    reason: 'Nothing came from the API for 2 s.',
  });
});

test('a slow stream is not given up while something comes', async () => {
  const content = [say('0123456789')];
  at = await given({ script: [{ content, deltaChars: 1, deltaDelayMs: 300 }] });
  const worker = at.worker({ silenceLimitMs: 2_000 });

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.stopReason).toBe('end_turn');
});

/** The real client behind a proxy that closes the response in good order in the middle of a reply. */
function endingAfterOneBlock(asked: unknown[]): Anthropic {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const events = [
    { type: 'message_start', message: { id: 'msg', model: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Half.' } },
    { type: 'content_block_stop', index: 0 },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async (_url: unknown, init?: { readonly body?: unknown }) => {
    const { stream } = JSON.parse(String(init?.body)) as { readonly stream: boolean };
    asked.push(stream);
    return stream ? new Response(lines.join(''), { headers }) : new Response('', { status: 502 });
  };
  return new Anthropic({ apiKey: 'key', maxRetries: 0, logLevel: 'off', fetch });
}
