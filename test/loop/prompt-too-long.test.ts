import type { Drained } from '../../src/loop/deps';
import {
  call,
  compacted,
  COMPACT_FAILED,
  gates,
  params,
  REFUSED,
  reply,
  toolReply,
  tooBigMedia,
  tooLong,
} from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const collapsing = { gates: gates({ contextCollapse: true }) };
const forever = Array.from({ length: 20 }, () => tooLong());
const drained = (committed: number): Drained => ({ leaf: 'drained', committed });

test('the ladder is drain, one compaction, the error, each once, whatever is still staged', async () => {
  const deps = scriptedDeps(forever, {
    drains: [drained(1), drained(1)],
    compactions: [compacted()],
  });

  const run = await runLoop(params(collapsing), deps);

  expect(reasonsOf(run)).toEqual(['collapse_drain_retry', 'reactive_compact_retry']);
  expect(run.terminal).toEqual({ reason: 'prompt_too_long' });
  expect(deps.drainRequests).toHaveLength(1);
  expect(deps.compactRequests).toHaveLength(1);
  expect(deps.requests).toHaveLength(3);
});

test('the request that was refused is what is drained and summarised', async () => {
  const refused = tooLong({ requestLeaf: 'asked', leaf: 'refusal' });
  const deps = scriptedDeps([refused, reply()], {
    drains: [drained(0)],
    compactions: [compacted()],
  });

  await runLoop(params(collapsing), deps);

  expect(deps.drainRequests).toEqual([{ leaf: 'asked', pending: [] }]);
  expect(deps.compactRequests).toEqual([
    {
      messages: { leaf: 'asked', pending: [] },
      toolUseContext: params().toolUseContext,
      turnCount: 1,
      trigger: 'reactive',
    },
  ]);
});

test('where nothing was staged, the compaction comes at once', async () => {
  const deps = scriptedDeps([tooLong(), reply()], {
    drains: [drained(0)],
    compactions: [compacted('summary')],
  });

  const run = await runLoop(params(collapsing), deps);

  expect(reasonsOf(run)).toEqual(['reactive_compact_retry']);
  expect(deps.requests[1]?.messages).toEqual({ leaf: 'summary', pending: [] });
});

test('without the gate of collapses nothing is drained', async () => {
  const deps = scriptedDeps([tooLong(), reply()], { compactions: [compacted()] });

  await runLoop(params(), deps);

  expect(deps.drainRequests).toEqual([]);
});

test('without reactive compaction the error comes at once', async () => {
  const deps = scriptedDeps([tooLong()]);

  const run = await runLoop(params({ gates: gates({ reactiveCompact: false }) }), deps);

  expect(run.terminal).toEqual({ reason: 'prompt_too_long' });
  expect(deps.compactRequests).toEqual([]);
});

test.each([REFUSED, COMPACT_FAILED])('a compaction that is $type shows the error', async (came) => {
  const run = await runLoop(params(), scriptedDeps([tooLong()], { compactions: [came] }));

  expect(run.terminal).toEqual({ reason: 'prompt_too_long' });
  expect(run.states).toEqual([]);
  expect(run.events).toContainEqual({ type: 'compaction', trigger: 'reactive', outcome: came });
});

test('a turn that succeeds arms the compaction again', async () => {
  const deps = scriptedDeps([tooLong(), toolReply(call('a')), tooLong(), reply()], {
    compactions: [compacted(), compacted()],
  });

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['reactive_compact_retry', 'next_turn', 'reactive_compact_retry']);
});

test('a nudge does not arm it again', async () => {
  const cut = reply({ withheld: 'output_limit', stopReason: 'max_tokens' });
  const deps = scriptedDeps([tooLong(), cut, tooLong()], { compactions: [compacted()] });

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['reactive_compact_retry', 'max_output_tokens_recovery']);
  expect(run.terminal).toEqual({ reason: 'prompt_too_long' });
});

test('a Stop hook that blocks after a compaction cannot make the two chase each other', async () => {
  const deps = scriptedDeps([tooLong(), reply({ hasStopHooks: true }), tooLong()], {
    compactions: [compacted()],
    verdicts: [{ type: 'blocked', leaf: 'feedback' }],
  });

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['reactive_compact_retry', 'stop_hook_blocking']);
  expect(run.terminal).toEqual({ reason: 'prompt_too_long' });
});

test('nobody is shown an error that a summary cured', async () => {
  const deps = scriptedDeps([tooLong(), reply()], { compactions: [compacted()] });

  const run = await runLoop(params(), deps);

  const told = run.events.map(({ type }) => type);
  expect(told.filter((type) => type === 'compaction')).toHaveLength(1);
  expect(run.end.messages).toEqual({ leaf: 'reply-leaf', pending: [] });
});

test('media that are too large are compacted once, never drained, then are the error', async () => {
  const deps = scriptedDeps([tooBigMedia(), tooBigMedia()], { compactions: [compacted()] });

  const run = await runLoop(params(collapsing), deps);

  expect(reasonsOf(run)).toEqual(['reactive_compact_retry']);
  expect(deps.drainRequests).toEqual([]);
  expect(run.terminal).toEqual({ reason: 'image_error' });
});
