import { z } from 'zod';
import { callModel } from '../../../src/activities/call-model/call-model';
import type { Reply } from '../../../src/loop/outcomes';
import { defineTool } from '../../../src/tools/tool';
import { input, toReply } from '../call-model/asked';
import { contentOf } from '../contents';
import { given, type GivenWorker, type Said } from '../given';
import { lastTextsOf, messagesOf, resultsIn } from '../requests';
import { firstTurn, takeTurn } from '../turns';
import {
  badRequest,
  compacted,
  contextAfter,
  conversed,
  rounds,
  says,
  SUMMARY,
  type Conversed,
} from './conversed';

let at: Conversed;
afterEach(() => at.close());

const TOO_LONG = badRequest('prompt is too long: 210000 tokens > 200000 maximum');
const reactive = (said: Said, { leaf }: { readonly leaf: string }) =>
  ({ trigger: 'reactive', leaf, attempt: said.attempt('compact') }) as const;

/** The next prompt, whose request the API refuses for its length. */
async function refused(
  worker: GivenWorker,
): Promise<{ readonly said: Said; readonly reply: Reply }> {
  const said = await worker.say('Too long');
  const asked = input(at.leaf, [said.pending]);
  const reply = toReply(await callModel(worker.deps, said.attempt('ask'), asked));
  expect(reply.withheld).toBe('prompt_too_long');
  return { said, reply };
}

test('the newest round is kept word for word behind the summary, with what came after it', async () => {
  at = await conversed(rounds(3), [TOO_LONG, SUMMARY, says('Third.')]);
  const worker = at.worker();
  const { said, reply } = await refused(worker);

  const outcome = await compacted(at, worker, reactive(said, reply));

  const [, ...context] = await contextAfter(worker, outcome);
  expect(context.map(contentOf)).toEqual([
    expect.stringContaining('The newest messages follow as they were.'),
    says('Reply 2').content,
    'Too long',
  ]);
  expect(JSON.stringify(messagesOf(at, -1))).not.toContain('Reply 2');
});

test('what was kept counts no tokens: the request that follows is sent', async () => {
  const usage = { input_tokens: 180_000, output_tokens: 1 };
  const [first, second] = [rounds(1), rounds(1)].flat();
  const large = [second?.[0] ?? '', { ...says('Reply'), usage }] as const;
  at = await conversed([first ?? ['', says('')], large], [SUMMARY, says('Third.')]);
  const worker = at.worker();
  const said = await worker.say('Small');
  const full = await callModel(worker.deps, said.attempt('1'), input(at.leaf, [said.pending]));
  const outcome = await compacted(at, worker, reactive(said, { leaf: said.id }));
  const leaf = outcome.type === 'compacted' ? outcome.leaf : '';

  const next = await callModel(worker.deps, said.attempt('2'), input(leaf, []));

  expect(full.type).toBe('compaction_needed');
  expect(next.type).toBe('reply');
  expect(lastTextsOf(at, -1)).toEqual(['Small']);
});

test('a single round cannot be made smaller', async () => {
  at = await conversed(rounds(1), [TOO_LONG]);
  const worker = at.worker();
  const { said, reply } = await refused(worker);

  const outcome = await compacted(at, worker, reactive(said, reply));

  expect(outcome).toEqual({ type: 'refused', messages: { leaf: reply.leaf, pending: [] } });
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'notice', level: 'warning' });
  expect((await worker.transcript()).at(-1)).toMatchObject({ uuid: said.id });
});

test('results of the kept round stay replaced by the same bytes', async () => {
  const talk = defineTool({
    name: 'Talk',
    description: '',
    inputSchema: z.strictObject({}),
    summarize: () => '',
    call: async () => ({ content: 'x'.repeat(45_000), structured: null }),
  });
  const deps = { tools: [talk] };
  const call = { type: 'tool_use', name: 'Talk', input: {} } as const;
  const calls = { content: [call, call, call, call, call] };
  const base = await given({
    script: [says('First.'), calls, TOO_LONG, SUMMARY, says('Done.')],
  });
  const worker = base.worker(deps);
  const { leaf } = await takeTurn(base, worker, firstTurn(await worker.say('1?')));
  const said = await worker.say('2?');
  at = { ...base, said, leaf };
  const called = await takeTurn(base, worker, firstTurn(said, leaf));
  const { reply } = await takeTurn(base, worker, called);

  const outcome = await compacted(at, worker, reactive(said, reply));
  const end = outcome.type === 'compacted' ? outcome.leaf : '';
  await callModel(base.worker(deps).deps, said.attempt('3'), input(end, []));

  expect(resultsIn(at, -1)).toEqual(resultsIn(at, 2));
  expect(resultsIn(at, -1).join()).toContain('<persisted-output>');
});
