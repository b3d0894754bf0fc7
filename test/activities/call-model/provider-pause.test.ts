import type { ActivityDeps } from '../../../src/activities/deps';
import type { ErrorType, Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { failureOf } from '../fake-attempt';
import { given, type Given } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const hi: ScriptedReply = { content: [{ type: 'text', text: 'Hi.' }] };
const refuses = (type: ErrorType, headers: Record<string, string> = {}): ScriptedReply => ({
  error: { type, message: `it was ${type}` },
  headers,
});

/** What Workers share: the pause that is left, as the test sets it. */
class Pauses implements NonNullable<ActivityDeps['pauses']> {
  leftMs = 0;

  async remainingMs(): Promise<number> {
    return this.leftMs;
  }

  async pause(ms: number): Promise<void> {
    this.leftMs = Math.max(this.leftMs, ms);
  }
}

test('what the provider tells one Worker, another one keeps to, without a failure of its own', async () => {
  at = await given({ script: [refuses('rate_limit_error', { 'retry-after': '8' }), hi] });
  const pauses = new Pauses();
  const [first, second] = [at.worker({ pauses }), at.worker({ pauses })];

  const refused = await failureOf(ask(first, await first.say('Hello')));
  const said = await second.say('Hello');
  const attempt = said.attempt();
  const paused = await failureOf(ask(second, said, attempt));
  const askedMeanwhile = at.model.requests.length;
  pauses.leftMs = 0;
  const reply = toReply(await ask(second, said, attempt));

  expect(refused).toMatchObject({ type: 'ModelCall.Retry', nextRetryDelay: 8_000 });
  // Half of a quarter later: the given `random` is 0.5.
  expect(paused).toMatchObject({
    type: 'ModelCall.Paused',
    nextRetryDelay: 9_000,
    nonRetryable: false,
  });
  expect(askedMeanwhile).toBe(1);
  expect(reply.type).toBe('reply');
  const { store } = await second.session();
  expect(await store.ledger.failures(attempt.key)).toEqual([]);
  expect(await second.log()).toContainEqual(
    expect.objectContaining({ type: 'notice', text: expect.stringContaining('9.0 s') as string }),
  );
});

test.each<[ErrorType, number]>([
  ['overloaded_error', 563],
  ['rate_limit_error', 563],
  ['api_error', 0],
])('%s pauses the others for %d ms', async (type, leftMs) => {
  at = await given({ script: [refuses(type)] });
  const pauses = new Pauses();
  const worker = at.worker({ pauses });

  await failureOf(ask(worker, await worker.say('Hello')));

  expect(pauses.leftMs).toBe(leftMs);
});
