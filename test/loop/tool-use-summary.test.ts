import { call, gates, params, reply, safeCall, toolReply, truncated } from './builders';
import { runLoop, type LoopRun } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const labelled = { gates: gates({ toolUseSummaries: true }) };
const labels = { 'label-1': 'Read a file', 'label-2': 'Ran the tests' };

test('the label of a batch is told in the next iteration, after its reply', async () => {
  const deps = scriptedDeps([toolReply(call('a')), toolReply(call('b')), reply()], { labels });

  const { events } = await runLoop(params(labelled), deps);

  const told = events.flatMap((event) => {
    if (event.type === 'assistant') return ['reply'];
    return event.type === 'tool_use_summary' ? [event.summary] : [];
  });
  expect(told).toEqual(['reply', 'reply', 'Read a file', 'reply', 'Ran the tests']);
});

test('the label is asked for with the whole batch', async () => {
  const deps = scriptedDeps([toolReply(safeCall('a'), safeCall('b')), reply()], { labels });

  await runLoop(params(labelled), deps);

  expect(deps.labelled).toEqual([{ toolUses: [safeCall('a'), safeCall('b')], turnCount: 1 }]);
});

test('a label that failed is not told', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);

  const run = await runLoop(params(labelled), deps);

  expect(labelsIn(run)).toEqual([]);
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('a label is told once, even if the reply after it is nudged', async () => {
  const deps = scriptedDeps([toolReply(call('a')), truncated(), reply()], { labels });

  const run = await runLoop(params(labelled), deps);

  expect(labelsIn(run)).toEqual(['Read a file']);
});

const nested = { ...params().toolUseContext, queryTracking: { chainId: 'chain', depth: 1 } };

test.each([
  ['the gate is off', {}],
  ['the query is a sub-agent', { ...labelled, toolUseContext: nested }],
  ['the query ends with the batch', { ...labelled, maxTurns: 1 }],
])('no label is asked for if %s', async (_why, given) => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);

  const run = await runLoop(params(given), deps);

  expect(deps.labelled).toEqual([]);
  expect(run.states.every((state) => state.pendingToolUseSummary === null)).toBe(true);
});

test('where no label was asked for, none is waited for', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);
  const waitedFor: string[] = [];
  const toolUseSummary = async (reference: string) => {
    waitedFor.push(reference);
    return null;
  };

  await runLoop(params(), { ...deps, toolUseSummary });

  expect(waitedFor).toEqual([]);
});

test('no label is asked for once somebody stopped the query', async () => {
  const deps = scriptedDeps([toolReply(call('a'))], async (_call, at) => {
    at.stop('user');
    return { type: 'interrupted' };
  });

  await runLoop(params(labelled), deps);

  expect(deps.labelled).toEqual([]);
});

function labelsIn({ events }: LoopRun): readonly string[] {
  return events.flatMap((event) => (event.type === 'tool_use_summary' ? [event.summary] : []));
}
