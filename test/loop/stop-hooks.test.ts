import { MAX_STOP_HOOK_BLOCKS } from '../../src/loop/stop-hooks';
import { call, params, reply, toolReply, tooLong, truncated } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const last = reply({ hasStopHooks: true });
const many = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);
const BLOCKED = { type: 'blocked', leaf: 'feedback' } as const;
const PASSED = { type: 'passed' } as const;

test('hooks hear of the end, with the reply that it comes with', async () => {
  const deps = scriptedDeps([last], { verdicts: [PASSED] });

  const run = await runLoop(params(), deps);

  expect(deps.positions).toStrictEqual([
    {
      event: 'stop',
      leaf: 'reply-leaf',
      toolUseContext: params().toolUseContext,
      stopHookActive: false,
      mayBlock: true,
    },
  ]);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('where there are no hooks, nobody is asked', async () => {
  const deps = scriptedDeps([reply()]);

  await runLoop(params(), deps);

  expect(deps.positions).toEqual([]);
});

test('a block makes a second request with the feedback, and the next hook is told', async () => {
  const deps = scriptedDeps([last, last], { verdicts: [BLOCKED, PASSED] });

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['stop_hook_blocking']);
  expect(deps.requests[1]?.messages).toEqual({ leaf: 'feedback', pending: [] });
  expect(deps.positions.map(({ stopHookActive }) => stopHookActive)).toEqual([false, true]);
});

test('a tool round after the block does not make the next hook forget it', async () => {
  const deps = scriptedDeps([last, toolReply(call('a')), last], { verdicts: [BLOCKED, PASSED] });

  await runLoop(params(), deps);

  expect(deps.positions.map(({ stopHookActive }) => stopHookActive)).toEqual([false, true]);
});

test('eight blocks in a row are heard; the ninth hook may not block', async () => {
  const deps = scriptedDeps(many(MAX_STOP_HOOK_BLOCKS + 1, last), {
    verdicts: [...many(MAX_STOP_HOOK_BLOCKS, BLOCKED), PASSED],
  });

  const run = await runLoop(params(), deps);

  expect(deps.positions.map(({ mayBlock }) => mayBlock)).toEqual([...many(8, true), false]);
  expect(deps.requests).toHaveLength(9);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('tools that run between two blocks start the count again', async () => {
  const deps = scriptedDeps([...many(8, last), toolReply(call('a')), last], {
    verdicts: [...many(8, BLOCKED), PASSED],
  });

  await runLoop(params(), deps);

  expect(deps.positions.at(-1)?.mayBlock).toBe(true);
});

test('a hook that wants the end gets it at once', async () => {
  const deps = scriptedDeps([last], { verdicts: [{ type: 'prevented', leaf: 'reason' }] });

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'stop_hook_prevented' });
  expect(run.end.messages).toEqual({ leaf: 'reason', pending: [] });
});

describe('an end with an error', () => {
  test.each([
    ['an API error', undefined, [reply({ hasStopHooks: true, apiError: 'overloaded' })]],
    ['a prompt that is too long', 'prompt_too_long', [tooLong({ hasStopHooks: true })]],
    ['an output limit', 'output_limit', many(4, truncated({ hasStopHooks: true }))],
  ] as const)('%s is told to hooks of failures only, once', async (_what, error, steps) => {
    const deps = scriptedDeps(steps, {
      verdicts: [PASSED],
      compactions: [{ type: 'refused', messages: { leaf: 'full', pending: [] } }],
    });

    await runLoop(params(), deps);

    expect(deps.positions).toMatchObject([{ event: 'stop_failure' }]);
    // An API error is a message that hooks find at the leaf.
    expect(deps.positions.map((position) => position.error)).toEqual([error]);
  });

  test('goes as it would whatever such a hook says', async () => {
    const refused = reply({ hasStopHooks: true, apiError: 'billing_error' });

    const run = await runLoop(params(), scriptedDeps([refused], { verdicts: [BLOCKED] }));

    expect(run.terminal).toEqual({ reason: 'completed', detail: 'api_error' });
  });

  test('that a nudge still cures is told to nobody', async () => {
    const deps = scriptedDeps([truncated({ hasStopHooks: true }), reply()]);

    await runLoop(params(), deps);

    expect(deps.positions).toEqual([]);
  });
});

test('a reply with calls is no end', async () => {
  const withCalls = { ...toolReply(call('a')), hasStopHooks: true };
  const deps = scriptedDeps([withCalls, last], { verdicts: [PASSED] });

  await runLoop(params(), deps);

  expect(deps.positions).toHaveLength(1);
});

test('what is done after each reply is waited for by nobody', async () => {
  const heard: string[] = [];
  const deps = scriptedDeps([{ ...toolReply(call('a')), leaf: 'one' }, reply({ leaf: 'two' })]);

  await runLoop(params(), { ...deps, afterSampling: ({ leaf }) => void heard.push(leaf) });

  expect(heard).toEqual(['one', 'two']);
});

test('a request that brought no reply has nothing done after it', async () => {
  const heard: string[] = [];
  const deps = scriptedDeps([{ type: 'no_request', leaf: 'answer' }]);

  await runLoop(params(), { ...deps, afterSampling: ({ leaf }) => void heard.push(leaf) });

  expect(heard).toEqual([]);
});

test('what fails after a reply does not stop the loop', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);
  const afterSampling = (): never => {
    throw new Error('a bug of a hook');
  };

  const run = await runLoop(params(), { ...deps, afterSampling });

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});
