import { MAX_OUTPUT_LIMIT_RECOVERIES } from '../../src/loop/output-limit';
import { ESCALATED_OUTPUT_TOKENS } from '../../src/loop/state';
import { call, compacted, gates, params, reply, toolReply, truncated } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const capped = { gates: gates({ cappedOutput: true }) };
const always = Array.from({ length: 20 }, () => truncated());
const NUDGE = { type: 'nudge', nudge: 'output_limit' };

test('max_output_tokens_escalate: the same request again with the large limit, without the partial answer', async () => {
  const deps = scriptedDeps([truncated({ requestLeaf: 'asked', leaf: 'part' }), reply()]);

  const run = await runLoop(params(capped), deps);

  expect(reasonsOf(run)).toEqual(['max_output_tokens_escalate']);
  expect(deps.requests[1]).toEqual({
    ...deps.requests[0],
    messages: { leaf: 'asked', pending: [] },
    maxOutputTokensOverride: ESCALATED_OUTPUT_TOKENS,
  });
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('max_output_tokens_recovery: the part is kept and the model is nudged on, in the same turn', async () => {
  const deps = scriptedDeps([truncated({ leaf: 'part' }), reply()]);

  const run = await runLoop(params(), deps);

  expect(run.states[0]?.transition).toEqual({ reason: 'max_output_tokens_recovery', attempt: 1 });
  expect(deps.requests[1]).toMatchObject({
    messages: { leaf: 'part', pending: [NUDGE] },
    turnCount: 1,
    maxOutputTokensOverride: null,
  });
});

test('an output that is always cut off gets three nudges, then the error is shown', async () => {
  const deps = scriptedDeps(always);

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(
    Array(MAX_OUTPUT_LIMIT_RECOVERIES).fill('max_output_tokens_recovery'),
  );
  expect(deps.requests).toHaveLength(4);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
  expect(run.end.messages).toEqual({
    leaf: 'reply-leaf',
    pending: [{ type: 'api_error', error: 'max_output_tokens' }],
  });
});

test('with capped output the ladder is one escalation, three nudges, the error', async () => {
  const deps = scriptedDeps(always);

  const run = await runLoop(params(capped), deps);

  expect(reasonsOf(run)).toEqual([
    'max_output_tokens_escalate',
    'max_output_tokens_recovery',
    'max_output_tokens_recovery',
    'max_output_tokens_recovery',
  ]);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
});

test('a nudge begins no new episode: a model that is always cut off is asked five times in all', async () => {
  const deps = scriptedDeps(always);

  await runLoop(params(capped), deps);

  const asked = deps.requests.map(({ maxOutputTokensOverride }) => maxOutputTokensOverride);
  expect(asked).toEqual([null, ESCALATED_OUTPUT_TOKENS, null, null, null]);
});

test('a tool round ends the episode: the next truncation may be escalated again', async () => {
  const deps = scriptedDeps([truncated(), toolReply(call('a')), truncated(), reply()]);

  const run = await runLoop(params(capped), deps);

  expect(reasonsOf(run)).toEqual([
    'max_output_tokens_escalate',
    'next_turn',
    'max_output_tokens_escalate',
  ]);
});

test('a limit that the caller chose is never escalated', async () => {
  const deps = scriptedDeps([truncated(), reply()]);

  const run = await runLoop(params({ ...capped, maxOutputTokensOverride: 100 }), deps);

  expect(reasonsOf(run)).toEqual(['max_output_tokens_recovery']);
});

test('a full context window is nudged, not escalated', async () => {
  const full = truncated({ stopReason: 'model_context_window_exceeded' });

  const run = await runLoop(params(capped), scriptedDeps([full, reply()]));

  expect(reasonsOf(run)).toEqual(['max_output_tokens_recovery']);
});

test('a tool round starts the count of nudges again', async () => {
  const cut = [truncated(), truncated()];
  const deps = scriptedDeps([...cut, toolReply(call('a')), ...cut, truncated(), reply()]);

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(run.states.map(({ maxOutputTokensRecoveryCount: count }) => count)).toEqual([
    1, 2, 0, 1, 2, 3,
  ]);
});

test('a truncated reply with a finished call runs it and counts as no truncation', async () => {
  const cut = reply({ toolUses: [call('a')], stopReason: 'max_tokens' });

  const run = await runLoop(params(), scriptedDeps([cut, reply()]));

  expect(reasonsOf(run)).toEqual(['next_turn']);
});

describe('compactAfterOutputLimit', () => {
  const compacting = { gates: gates({ compactAfterOutputLimit: true }) };

  test('a reply that is cut off for the last time is followed by one compaction of it', async () => {
    const deps = scriptedDeps([...always.slice(0, 4), reply()], { compactions: [compacted()] });

    const run = await runLoop(params(compacting), deps);

    expect(reasonsOf(run).at(-1)).toBe('reactive_compact_retry');
    expect(deps.compactRequests).toMatchObject([
      { trigger: 'reactive', messages: { leaf: 'reply-leaf' } },
    ]);
    expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  });

  test('one that is cut off even then shows the error', async () => {
    const deps = scriptedDeps(always, { compactions: [compacted()] });

    const run = await runLoop(params(compacting), deps);

    expect(deps.requests).toHaveLength(5);
    expect(run.terminal).toEqual({ reason: 'completed', detail: 'output_limit' });
  });

  test('drains nothing: what is staged makes room for input only', async () => {
    const both = { gates: gates({ compactAfterOutputLimit: true, contextCollapse: true }) };
    const deps = scriptedDeps(always, { compactions: [compacted()] });

    await runLoop(params(both), deps);

    expect(deps.drainRequests).toEqual([]);
  });
});
