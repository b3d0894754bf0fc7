import type { CallModelInput } from '../../../src/activities/interface';
import { DEFAULT_GATES, type Gates } from '../../../src/loop/gates';
import type { ModelOutcome } from '../../../src/loop/outcomes';
import { given, type Given, type GivenWorker, type Said } from '../given';
import { ask, toReply } from './asked';

let at: Given;
afterEach(() => at.close());

/** Compacts at 7,000 tokens and blocks at 17,000: 20,000 less than the window are left for output. */
const SMALL = { context: { percentOverride: null, autoCompactWindow: 40_000 } };
const OFF: Gates = { ...DEFAULT_GATES, autocompact: false };
const hi = { content: [{ type: 'text', text: 'Hi.' }] } as const;

interface Asked {
  readonly outcome: ModelOutcome;
  readonly worker: GivenWorker;
  readonly said: Said;
}

/** The second prompt, behind a reply that counted so many tokens. The prompt itself counts 1. */
async function secondRequest(
  counted: number,
  { gates, ...more }: Partial<CallModelInput> & { readonly gates?: Gates } = {},
): Promise<Asked> {
  const usage = { input_tokens: counted - 1, output_tokens: 1, cache_creation_input_tokens: 0 };
  at = await given({ script: [{ ...hi, usage: { ...usage, cache_read_input_tokens: 0 } }, hi] });
  const worker = at.worker(SMALL);
  const options = gates === undefined ? {} : { gates };
  const { leaf } = toReply(await ask(worker, await worker.say('1?', options)));
  const said = await worker.say('2?', options);
  const outcome = await ask(worker, said, said.attempt('2'), { leaf, ...more });
  return { outcome, worker, said };
}

test.each<[string, number, Parameters<typeof secondRequest>[1], ModelOutcome['type'], number]>([
  ['just below the mark it is sent', 6_998, {}, 'reply', 2],
  ['at the mark a summary is wanted', 6_999, {}, 'compaction_needed', 1],
  ['with compaction given up it is sent', 20_000, { room: 'none' }, 'reply', 2],
  ['just compacted it is sent, whatever it counts', 20_000, { room: 'just_compacted' }, 'reply', 2],
  ['without autocompact it is sent below the limit', 16_998, { gates: OFF }, 'reply', 2],
  ['without autocompact it is stopped at the limit', 16_999, { gates: OFF }, 'blocking_limit', 1],
])('%s', async (_claim, tokens, more, type, requests) => {
  const { outcome } = await secondRequest(tokens, more);

  expect(outcome.type).toBe(type);
  expect(at.model.requests).toHaveLength(requests);
});

test('what a summary is wanted for is chained and told, and nothing is sent', async () => {
  const { outcome, worker, said } = await secondRequest(7_000);

  expect(outcome).toEqual({ type: 'compaction_needed', leaf: said.id });
  expect((await worker.transcript()).at(-1)).toMatchObject({ uuid: said.id, type: 'user' });
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'record', record: { uuid: said.id } });
});

test('the user may have it compacted sooner, by a percentage of the window', async () => {
  const deps = { context: { percentOverride: 50, autoCompactWindow: null } };
  const usage = { input_tokens: 90_000, output_tokens: 0 };
  at = await given({ script: [{ ...hi, usage }] });
  const worker = at.worker(deps);
  const { leaf } = toReply(await ask(worker, await worker.say('1?')));

  const said = await worker.say('2?');
  const outcome = await ask(worker, said, said.attempt('2'), { leaf });

  expect(outcome.type).toBe('compaction_needed');
});
