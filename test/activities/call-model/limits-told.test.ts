import { DEFAULT_GATES } from '../../../src/loop/gates';
import { given, type Given } from '../given';
import { ask } from './asked';

let at: Given;
afterEach(() => at.close());

const hi = { content: [{ type: 'text', text: 'Hi.' }] } as const;
const CAPPED = { gates: { ...DEFAULT_GATES, cappedOutput: true } };

test.each([
  ['a new one is told in full', { total: 300_000 }],
  ['what is left of one is told after a compaction', { total: 300_000, remaining: 179_900 }],
])('task budget: %s', async (_claim, taskBudget) => {
  at = await given({ script: [hi] });
  const worker = at.worker();
  const said = await worker.say('Hello');

  await ask(worker, said, said.attempt(), { taskBudget });

  expect(at.model.requests[0]!.body).toMatchObject({
    output_config: { task_budget: { type: 'tokens', ...taskBudget } },
  });
});

test('without a task budget the request has no word of one', async () => {
  at = await given({ script: [hi] });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  expect(at.model.requests[0]!.body).not.toHaveProperty('output_config');
});

test.each([
  ['32,000 by default', {}, {}, {}, 32_000],
  ['8,000 first where output is capped', CAPPED, {}, {}, 8_000],
  [
    'what the loop wants after a reply was cut off',
    CAPPED,
    {},
    { maxOutputTokens: 64_000 },
    64_000,
  ],
  [
    'what the user wants, capped or not',
    CAPPED,
    { maxOutputTokens: 20_000, isOutputChosen: true },
    {},
    20_000,
  ],
])('output tokens: %s', async (_claim, options, deps, more, expected) => {
  at = await given({ script: [hi] });
  const worker = at.worker(deps);
  const said = await worker.say('Hello', options);

  await ask(worker, said, said.attempt(), more);

  expect(at.model.requests[0]!.body.max_tokens).toBe(expected);
});
