import {
  badRequest,
  compacted,
  contextAfter,
  conversed,
  rounds,
  says,
  SUMMARY,
  text,
  type Conversed,
} from './conversed';
import { contentOf } from '../contents';
import { lastTextsOf, messagesOf } from '../requests';

let at: Conversed;
afterEach(() => at.close());

const tooLong = badRequest('prompt is too long: 200010 tokens > 200000 maximum');
/** Content of the n-th request's first message. */
const beginningOf = (index: number): string => JSON.stringify(messagesOf(at, index)[0]?.content);

test('a request that fails is followed by a plain one: one tool, little room, another system prompt', async () => {
  at = await conversed(rounds(1), [badRequest(), SUMMARY]);
  const worker = at.worker();

  const outcome = await compacted(at, worker);

  expect(outcome.type).toBe('compacted');
  const [shared, plain] = at.model.requests.slice(-2).map(({ body }) => body);
  expect(plain).toMatchObject({ max_tokens: 20_000, tools: [{ name: 'Read' }] });
  expect(plain?.system).not.toEqual(shared?.system);
  expect(plain?.messages).toEqual(shared?.messages);
});

test('when the plain request fails too nothing is changed, and observers hear why', async () => {
  at = await conversed(rounds(1), [badRequest('First.'), badRequest('Second.')]);
  const worker = at.worker();
  const before = await worker.transcript();

  const outcome = await compacted(at, worker);

  const message = 'The conversation could not be summarised: First.';
  expect(outcome).toEqual({ type: 'failed', messages: { leaf: at.leaf, pending: [] }, message });
  expect(await worker.transcript()).toEqual(before);
  expect((await worker.log()).slice(-2)).toMatchObject([
    { type: 'notice', level: 'warning', text: message },
    { type: 'status', status: null },
  ]);
});

test('what is too long to be summarised is sent again without its oldest rounds', async () => {
  at = await conversed([['Prompt 0', says('x'.repeat(100))], ...rounds(3)], [tooLong, SUMMARY]);

  const outcome = await compacted(at, at.worker());

  expect(outcome.type).toBe('compacted');
  expect(beginningOf(-2)).toContain('Prompt 0');
  expect(beginningOf(-1)).toContain('The beginning of this conversation is left out');
  expect(JSON.stringify(messagesOf(at, -1))).not.toContain('xxx');
  expect(JSON.stringify(messagesOf(at, -1))).toContain('Reply 2');
});

test('it is made shorter three times, and as often for the plain request', async () => {
  const untold = badRequest('prompt is too long');
  at = await conversed(
    rounds(8),
    Array.from({ length: 8 }, () => untold),
  );

  const outcome = await compacted(at, at.worker());

  expect(outcome.type).toBe('failed');
  expect(at.model.requests).toHaveLength(16);
  at.model.assertConsumed();
});

test('an overload passes: the same request is sent again', async () => {
  at = await conversed(rounds(1), [{ error: { type: 'overloaded_error' } }, SUMMARY]);

  const outcome = await compacted(at, at.worker({ random: () => 0 }));

  expect(outcome.type).toBe('compacted');
  const [first, second] = at.model.requests.slice(-2).map(({ body }) => body);
  expect(second).toEqual(first);
});

test.each([
  ['without tags all of it is the summary', says('Plain words.'), 'Plain words.'],
  [
    'of several texts the tags count',
    { content: [text('So.'), ...(SUMMARY.content ?? [])] },
    'Ann',
  ],
])('%s', async (_claim, reply, expected) => {
  at = await conversed(rounds(1), [reply]);
  const worker = at.worker();

  const [, summary] = await contextAfter(worker, await compacted(at, worker));

  expect(JSON.stringify(contentOf(summary ?? {}))).toContain(expected);
  expect(lastTextsOf(at, -1)).toHaveLength(1);
});

test('a stop in mid-summary leaves everything as it was', async () => {
  at = await conversed(rounds(1), [{ ...SUMMARY, hold: 'door' }]);
  const worker = at.worker();
  const attempt = at.said.attempt('compact');
  const before = await worker.transcript();
  const compacting = compacted(at, worker, { attempt });
  await at.model.waitUntilHeld('door');

  attempt.requestStop();

  expect(await compacting).toEqual({
    type: 'interrupted',
    messages: { leaf: at.leaf, pending: [] },
  });
  expect(await worker.transcript()).toEqual(before);
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'status', status: null });
});

test('an attempt that is over writes nothing, and the next one summarises', async () => {
  at = await conversed(rounds(1), [{ ...SUMMARY, hold: 'door' }, SUMMARY]);
  const lost = at.said.attempt('compact');
  const before = await at.worker().transcript();
  const worker = at.worker();
  const losing = compacted(at, worker, { attempt: lost });
  await at.model.waitUntilHeld('door');
  lost.end(new Error('shutdown'));
  await expect(losing).rejects.toThrow('shutdown');
  expect(await worker.transcript()).toEqual(before);

  const outcome = await compacted(at, at.worker(), { attempt: lost.next() });

  expect(outcome.type).toBe('compacted');
});
