import Anthropic from '@anthropic-ai/sdk';
import type { Interruption, Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { failureOf } from '../fake-attempt';
import { given, type Given } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;
const broken = (interruption: Interruption): ScriptedReply => ({
  content: [say('Half.'), say('Rest.')],
  interruptions: [interruption],
});

test.each<[string, ScriptedReply]>([
  ['a connection that closes at once', { cut: 'at_once' }],
  ['a connection cut in mid-reply', broken({ type: 'cut', afterBlocks: 1 })],
  [
    'an error event in mid-reply',
    broken({ type: 'error', error: 'overloaded_error', afterBlocks: 1 }),
  ],
  [
    'bytes that are no event',
    broken({ type: 'garbage', text: 'event: x\ndata: {\n\n', afterBlocks: 1 }),
  ],
])('%s is retried and counted, without a word to observers', async (_what, reply) => {
  at = await given({ script: [reply, { content: [say('Hi.')] }] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  const failure = await failureOf(ask(worker, said, attempt));
  const outcome = await ask(worker, said, attempt.next());
  const { store } = await worker.session();

  expect(failure.type).toBe('ModelCall.Retry');
  expect(failure.nextRetryDelay).toBe(563);
  expect(await store.ledger.failures(attempt.key)).toMatchObject([{ status: null }]);
  expect((await worker.log()).filter(({ type }) => type === 'api_retry')).toEqual([]);
  expect(toReply(outcome).stream).toContain(':2:0');
  expect(await worker.transcript()).toHaveLength(2);
});

test('a stream that ends without its end is broken, not short', async () => {
  at = await given();
  const worker = at.worker({ anthropic: endingAfterOneBlock() });

  const failure = await failureOf(ask(worker, await worker.say('Hello')));

  expect(failure.type).toBe('ModelCall.Retry');
  expect(await worker.transcript()).toHaveLength(1);
});

test('a stream in which nothing comes any more is given up and retried', async () => {
  at = await given({ script: [broken({ type: 'stall', afterBlocks: 1 })] });
  const worker = at.worker({ silenceLimitMs: 200 });

  const failure = await failureOf(ask(worker, await worker.say('Hello')));

  expect(failure.type).toBe('ModelCall.Retry');
  expect(failure.message).toContain('Nothing came from the API for 0.2 s.');
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'stream_discarded' });
});

test('a slow stream is not given up while something comes', async () => {
  const content = [say('0123456789')];
  at = await given({ script: [{ content, deltaChars: 1, deltaDelayMs: 60 }] });
  const worker = at.worker({ silenceLimitMs: 400 });

  const outcome = toReply(await ask(worker, await worker.say('Hello')));

  expect(outcome.stopReason).toBe('end_turn');
});

/** The real client behind a proxy that closes the response in good order in the middle of a reply. */
function endingAfterOneBlock(): Anthropic {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const events = [
    { type: 'message_start', message: { id: 'msg', model: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Half.' } },
    { type: 'content_block_stop', index: 0 },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(lines.join(''), { headers });
  return new Anthropic({ apiKey: 'key', maxRetries: 0, logLevel: 'off', fetch });
}
