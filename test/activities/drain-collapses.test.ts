import { z } from 'zod';
import { callModel } from '../../src/activities/call-model/call-model';
import { drainCollapses } from '../../src/activities/drain-collapses';
import { DEFAULT_GATES } from '../../src/loop/gates';
import { defineTool } from '../../src/tools/tool';
import { input } from './call-model/asked';
import { given, type Given, type GivenWorker, type Said } from './given';
import { messagesOf } from './requests';
import { takeTurns } from './turns';

let at: Given;
afterEach(() => at.close());

const TURNS = 20;
const talk = defineTool({
  name: 'Bash',
  description: '',
  inputSchema: z.strictObject({}),
  summarize: () => '',
  call: async () => ({ content: 'x'.repeat(3_000), structured: null }),
});
/** Stages at 24,000 tokens and commits at 36,000. */
const deps = {
  tools: [talk],
  context: { percentOverride: null, autoCompactWindow: 60_000 },
};
const call = { content: [{ type: 'tool_use', name: 'Bash', input: {} }] } as const;
const done = { content: [{ type: 'text', text: 'Done.' }] } as const;

/** A conversation so long that parts of it are staged for collapse, none of them in the view. */
async function staged(): Promise<{
  readonly worker: GivenWorker;
  readonly said: Said;
  readonly leaf: string;
}> {
  const cache = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const usage = { input_tokens: 25_000, output_tokens: 1, ...cache };
  const calls = Array.from({ length: TURNS - 1 }, () => call);
  at = await given({ script: [...calls, { ...call, usage }, done, done] });
  const gates = { ...DEFAULT_GATES, contextCollapse: true };
  const said = await at.worker(deps).say('Go', { gates });
  const turn = await takeTurns(
    at,
    said,
    Array.from({ length: TURNS + 1 }, () => deps),
  );
  return { worker: at.worker(deps), said, leaf: turn.leaf ?? '' };
}

test('what is staged comes into the view of the next request, and the history stays', async () => {
  const { worker, said, leaf } = await staged();
  const before = (await worker.transcript()).length;

  const drained = await drainCollapses(worker.deps, said.attempt('drain'), { leaf, pending: [] });
  const nudge = { type: 'nudge', nudge: 'output_limit' } as const;
  await callModel(worker.deps, said.attempt('next'), input(drained.leaf, [nudge]));

  expect(drained.committed).toBeGreaterThan(0);
  expect(messagesOf(at, -2)).toHaveLength(2 * TURNS + 1);
  expect(messagesOf(at, -1).length).toBeLessThan(messagesOf(at, -2).length);
  expect((await worker.transcript())[before]).toMatchObject({
    uuid: drained.leaf,
    parentUuid: leaf,
    subtype: 'context_decisions',
  });
});

test('a drain that was not reported is told again as it was', async () => {
  const { worker, said, leaf } = await staged();
  const attempt = said.attempt('drain');
  const first = await drainCollapses(worker.deps, attempt, { leaf, pending: [] });

  const successor = at.worker(deps);
  const second = await drainCollapses(successor.deps, attempt.next(), { leaf, pending: [] });

  expect(second).toEqual(first);
});

test('where nothing is staged nothing is written', async () => {
  at = await given({ script: [done] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const { leaf } = await takeTurns(at, said, [undefined]);
  const before = await worker.transcript();

  const drained = await drainCollapses(worker.deps, said.attempt('drain'), { leaf, pending: [] });

  expect(drained).toEqual({ leaf, committed: 0 });
  expect(await worker.transcript()).toEqual(before);
});
