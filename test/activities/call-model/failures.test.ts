import { DEFAULT_GATES, type Gates } from '../../../src/loop/gates';
import type { ErrorType, Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { StoreError } from '../../../src/transcript/store-error';
import { failureOf } from '../fake-attempt';
import { given, type Given, type GivenWorker } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const hi: ScriptedReply = { content: [{ type: 'text', text: 'Hi.' }] };
const fails = (type: ErrorType, more: Partial<ScriptedReply> = {}): ScriptedReply => ({
  error: { type, message: `it was ${type}` },
  ...more,
});

const badRequest = (message: string): ScriptedReply => ({
  error: { type: 'invalid_request_error', message },
});
const tooLong = () => badRequest('prompt is too long: 210000 tokens > 200000 maximum');
const tooLarge = () => badRequest('messages.0.content.1.image: image exceeds 5 MB maximum');

async function failuresOf(worker: GivenWorker, key: string) {
  const { store } = await worker.session();
  return store.ledger.failures(key);
}

const retriesIn = async (worker: GivenWorker) =>
  (await worker.log()).filter(({ type }) => type === 'api_retry');

test.each<[ErrorType, number, string]>([
  ['overloaded_error', 529, 'overloaded'],
  ['api_error', 500, 'server_error'],
  ['rate_limit_error', 429, 'rate_limit'],
])(
  '%s is retried by Temporal, counted in the ledger and told to observers',
  async (type, status, error) => {
    at = await given({ script: [fails(type)] });
    const worker = at.worker();
    const said = await worker.say('Hello');
    const attempt = said.attempt();

    const failure = await failureOf(ask(worker, said, attempt));

    expect(failure).toMatchObject({ type: 'ModelCall.Retry', nonRetryable: false });
    expect(failure.message).toContain(`${status}`);
    expect(await failuresOf(worker, attempt.key)).toMatchObject([{ status, error }]);
    expect(await retriesIn(worker)).toMatchObject([
      { attempt: 1, maxRetries: 10, status, error, delayMs: Number(failure.nextRetryDelay) },
    ]);
  },
);

test.each<[string, number, number, number]>([
  ['first', 0, 500, 625],
  ['second', 1, 1_000, 1_250],
  ['fifth', 4, 8_000, 10_000],
  ['eighth', 7, 32_000, 40_000],
])(
  'before the %s retry lies its time and up to a quarter more',
  async (_nth, earlier, least, most) => {
    const script = Array.from({ length: earlier + 2 }, () => fails('overloaded_error'));
    at = await given({ script });
    const delays: unknown[] = [];
    for (const random of [0, 0.999]) {
      const worker = at.worker({ random: () => random });
      const said = await worker.say('Hello');
      const attempt = said.attempt();
      const { store, lease } = await worker.session();
      for (let count = 0; count < earlier; count += 1) {
        const failure = { status: 529, error: 'overloaded', at: '' };
        await store.ledger.recordFailure(lease, attempt.key, failure);
      }
      delays.push((await failureOf(ask(worker, said, attempt))).nextRetryDelay);
    }

    expect(delays[0]).toBe(least);
    expect(delays[1]).toBeGreaterThan(least);
    expect(delays[1]).toBeLessThanOrEqual(most);
  },
);

test('what the server asks for counts more', async () => {
  at = await given({ script: [fails('rate_limit_error', { headers: { 'retry-after': '7' } })] });
  const worker = at.worker();

  const failure = await failureOf(ask(worker, await worker.say('Hello')));

  expect(failure.nextRetryDelay).toBe(7_000);
});

test('401 is retried once', async () => {
  at = await given({ script: [fails('authentication_error'), fails('authentication_error')] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();

  const failure = await failureOf(ask(worker, said, attempt));
  const outcome = await ask(worker, said, attempt.next());

  expect(failure.type).toBe('ModelCall.Retry');
  expect(outcome).toMatchObject({ type: 'reply', apiError: 'authentication_failed' });
  at.model.assertConsumed();
});

test.each<[string, ScriptedReply, string, string]>([
  ['400', fails('invalid_request_error'), 'unknown', 'it was invalid_request_error'],
  ['403', fails('permission_error'), 'authentication_failed', 'ANTHROPIC_API_KEY'],
  ['404', fails('not_found_error'), 'model_not_found', '--model'],
  [
    'a prompt that is too long, with nothing to make it shorter,',
    tooLong(),
    'prompt_too_long',
    'too long',
  ],
  ['an image that is too large', tooLarge(), 'media_size', 'image'],
  ['a body that is too large', fails('request_too_large'), 'media_size', 'smaller'],
])('%s is not retried: the error is the reply', async (_what, reply, apiError, text) => {
  at = await given({ script: [reply] });
  const worker = at.worker();
  const gates = { ...DEFAULT_GATES, reactiveCompact: false };

  const outcome = toReply(await ask(worker, await worker.say('Hello', { gates })));

  expect(outcome).toMatchObject({ apiError, toolUses: [], withheld: null });
  expect(await retriesIn(worker)).toEqual([]);
  const last = (await worker.transcript()).at(-1);
  expect(last).toMatchObject({ uuid: outcome.leaf, isApiErrorMessage: true });
  expect(JSON.stringify(last)).toContain(text);
});

test.each<[string, ScriptedReply, string, Partial<Gates>]>([
  ['a prompt that is too long', tooLong(), 'prompt_too_long', { reactiveCompact: true }],
  [
    'a prompt that is too long, before staged collapses are in the view,',
    tooLong(),
    'prompt_too_long',
    { reactiveCompact: false, contextCollapse: true },
  ],
  ['an image that is too large', tooLarge(), 'media_size', { reactiveCompact: true }],
  ['a body that is too large', fails('request_too_large'), 'media_size', { reactiveCompact: true }],
])('%s is withheld while something may cure it', async (_what, reply, withheld, changes) => {
  at = await given({ script: [reply] });
  const worker = at.worker();
  const said = await worker.say('Hello', { gates: { ...DEFAULT_GATES, ...changes } });

  const outcome = toReply(await ask(worker, said));

  expect(outcome).toMatchObject({ withheld, apiError: null, leaf: said.id, requestLeaf: said.id });
  expect(await worker.transcript()).toHaveLength(1);
  expect((await worker.log()).filter(({ type }) => type === 'record')).toHaveLength(1);
});

test('when no retry is left the error is the reply, for observers too, and is adopted like one', async () => {
  at = await given({ script: Array.from({ length: 3 }, () => fails('api_error')) });
  const worker = at.worker({ maxRetries: 2 });
  const said = await worker.say('Hello');
  const first = said.attempt();
  const second = first.next();
  const third = second.next();
  await failureOf(ask(worker, said, first));
  await failureOf(ask(worker, said, second));

  const outcome = await ask(worker, said, third);
  const again = await ask(at.worker(), said, third.next());

  expect(outcome).toMatchObject({
    type: 'reply',
    apiError: 'server_error',
    stopReason: 'stop_sequence',
  });
  expect(again).toEqual(outcome);
  expect((await at.worker().log()).at(-1)).toMatchObject({
    type: 'record',
    record: { uuid: toReply(outcome).leaf, error: 'server_error' },
  });
  at.model.assertConsumed();
});

test('output that does not fit beside the input is asked for again at once, smaller, thoughts included', async () => {
  const message =
    'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease';
  const overflow = { error: { type: 'invalid_request_error', message } } as const;
  at = await given({ script: [overflow, hi] });
  const worker = at.worker();
  const said = await worker.say('Hello', { maxThinkingTokens: 20_000 });

  const outcome = toReply(await ask(worker, said));

  expect(at.model.requests.map(({ body }) => body)).toMatchObject([
    { max_tokens: 32_000, thinking: { budget_tokens: 20_000 } },
    { max_tokens: 9_000, thinking: { budget_tokens: 8_999 } },
  ]);
  expect(outcome.stream).toContain(':1:1');
  expect(outcome.apiError).toBeNull();
});

test('a store that fails is no failure of the API: nothing is counted', async () => {
  at = await given({ script: [hi] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const { store } = await worker.session();
  const append = store.append.bind(store);
  store.append = (lease, key, records) =>
    key.endsWith(':reply')
      ? Promise.reject(new StoreError('no_space', 'The disk is full.'))
      : append(lease, key, records);

  await expect(ask(worker, said, attempt)).rejects.toThrow('The disk is full.');

  expect(await failuresOf(worker, attempt.key)).toEqual([]);
});
