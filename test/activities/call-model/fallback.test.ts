import type { ModelOutcome } from '../../../src/loop/outcomes';
import type { Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import type { RunOptions } from '../../../src/transcript/message';
import { contentOf } from '../contents';
import { failureOf } from '../fake-attempt';
import { given, MODEL, type Given, type GivenWorker, type Said } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

const FALLBACK = 'claude-haiku-4-5';
const say = (text: string) => ({ type: 'text', text }) as const;
const hi = { content: [say('Hi.')] };
const overloaded = { error: { type: 'overloaded_error' } } as const;
const broken = { error: { type: 'api_error' } } as const;

interface Asked {
  readonly outcome: ModelOutcome;
  readonly worker: GivenWorker;
  readonly said: Said;
}

/** Attempt after attempt of one request, until one of them has an outcome. */
async function persist(
  script: readonly ScriptedReply[],
  options: Partial<RunOptions> = { fallbackModel: FALLBACK },
): Promise<Asked> {
  at = await given({ script });
  const said = await at.worker().say('Hello', options);
  for (let attempt = said.attempt(); ; attempt = attempt.next()) {
    const worker = at.worker();
    const asked = ask(worker, said, attempt);
    const outcome = await asked.catch(() => null);
    if (outcome !== null) return { outcome, worker, said };
    expect((await failureOf(asked)).type).toBe('ModelCall.Retry');
  }
}

const modelsAsked = (): readonly string[] => at.model.requests.map(({ body }) => body.model);
const noticesIn = async (worker: GivenWorker) =>
  (await worker.log()).filter(({ type }) => type === 'notice');

test('the fallback model takes over at the third overload in a row, without a delay', async () => {
  const { outcome, worker } = await persist([overloaded, overloaded, overloaded, hi]);

  expect(modelsAsked()).toEqual([MODEL, MODEL, MODEL, FALLBACK]);
  expect(toReply(outcome)).toMatchObject({ model: FALLBACK, apiError: null });
  expect(toReply(outcome).stream).toContain(':3:1');
  expect(await noticesIn(worker)).toMatchObject([
    { level: 'warning', text: `${MODEL} is overloaded. ${FALLBACK} takes over.` },
  ]);
});

test.each<[string, ScriptedReply]>([
  ['is overloaded as well', overloaded],
  ['fails otherwise', broken],
])('the next attempt goes on with a fallback model that %s', async (_how, failure) => {
  const { outcome, worker } = await persist([overloaded, overloaded, overloaded, failure, hi]);

  expect(modelsAsked()).toEqual([MODEL, MODEL, MODEL, FALLBACK, FALLBACK]);
  expect(toReply(outcome).model).toBe(FALLBACK);
  expect(await noticesIn(worker)).toHaveLength(1);
});

test('overloads that are not in a row call no fallback model', async () => {
  await persist([overloaded, overloaded, broken, overloaded, hi]);

  expect(new Set(modelsAsked())).toEqual(new Set([MODEL]));
});

test('without a fallback model overloads are retried like any failure', async () => {
  const { outcome, worker } = await persist([overloaded, overloaded, overloaded, hi], {});

  expect(modelsAsked()).toEqual([MODEL, MODEL, MODEL, MODEL]);
  expect(toReply(outcome).model).toBe(MODEL);
  expect(await noticesIn(worker)).toEqual([]);
});

test('the fallback model is not sent the thoughts of the first', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const;
  at = await given({
    script: [{ content: [thought, say('One.')] }, overloaded, overloaded, overloaded, hi],
  });
  const worker = at.worker();
  const first = toReply(await ask(worker, await worker.say('1?')));
  const said = await worker.say('2?', { fallbackModel: FALLBACK });
  const attempt = said.attempt('2');
  const { leaf } = first;
  await failureOf(ask(worker, said, attempt, { leaf }));
  await failureOf(ask(worker, said, attempt.next(), { leaf }));

  await ask(worker, said, attempt.next().next(), { leaf });

  const [before, after] = at.model.requests.slice(-2).map(({ body }) => body);
  expect(before?.messages[1]?.content).toEqual([thought, say('One.')]);
  expect(after?.messages[1]?.content).toEqual([say('One.')]);
  expect(after?.model).toBe(FALLBACK);
});

test('an overload in mid-reply that lasts: what was told is taken back, and the fallback model is asked anew', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const;
  const partial: ScriptedReply = {
    content: [thought, say('Half.'), say('Rest.')],
    interruptions: [{ type: 'error', error: 'overloaded_error', afterBlocks: 2 }],
  };

  const { outcome, worker } = await persist([partial, overloaded, overloaded, overloaded, hi]);

  const last = at.model.requests.at(-1)?.body;
  expect(last).toMatchObject({ model: FALLBACK, messages: [{ role: 'user' }] });
  expect(JSON.stringify(last?.messages)).not.toMatch(/signature|Half/);
  const told = (await worker.log()).filter(({ type }) => type.startsWith('stream_'));
  expect(told.slice(0, 2).map(({ type }) => type)).toEqual(['stream_started', 'stream_discarded']);
  expect(told.at(-1)).toMatchObject({ stream: toReply(outcome).stream, type: 'stream_committed' });
  expect((await worker.transcript()).map(contentOf)).toEqual(['Hello', [say('Hi.')]]);
});
