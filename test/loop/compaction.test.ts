import { AutoCompactTracking } from '../../src/loop/auto-compact-tracking';
import {
  call,
  compacted,
  COMPACT_FAILED,
  FULL,
  params,
  REFUSED,
  reply,
  safeCall,
  toolReply,
  tracking,
} from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const round = (id: string) => toolReply(safeCall(id));

test('a context that is nearly full is summarised, then sent, in the same iteration', async () => {
  const deps = scriptedDeps([FULL, reply()], { compactions: [compacted('summary')] });

  const run = await runLoop(params(), deps);

  expect(deps.compactRequests).toMatchObject([
    { messages: { leaf: 'full', pending: [] }, trigger: 'auto' },
  ]);
  expect(deps.requests).toMatchObject([
    { room: 'compact' },
    { room: 'just_compacted', messages: { leaf: 'summary', pending: [] } },
  ]);
  expect(run.states).toEqual([]);
  expect(run.events.map(({ type }) => type)).toEqual([
    'stream_request_start',
    'compaction',
    'assistant',
    'end',
  ]);
});

test('the iteration knows of its compaction, and each one after it counts', async () => {
  const deps = scriptedDeps([FULL, round('a'), round('b'), reply()], {
    compactions: [compacted('summary')],
  });

  const { states, end } = await runLoop(params(), deps);

  const after = tracking({ compacted: true, turnId: 'summary' });
  expect(states.map(({ autoCompactTracking }) => autoCompactTracking)).toEqual([
    after,
    { ...after, turnCounter: 1 },
  ]);
  expect(end.autoCompactTracking).toEqual({ ...after, turnCounter: 2 });
});

test.each([REFUSED, COMPACT_FAILED])(
  'a compaction that is $type sends the context as it is',
  async (came) => {
    const deps = scriptedDeps([FULL, round('a'), reply()], { compactions: [came] });

    const { states } = await runLoop(params(), deps);

    expect(deps.requests[1]).toMatchObject({ room: 'none', messages: { leaf: 'full' } });
    expect(states[0]?.autoCompactTracking).toEqual(tracking({ consecutiveFailures: 1 }));
  },
);

test('after three failures in a row no more summaries are tried, and the loop goes on', async () => {
  const deps = scriptedDeps([FULL, round('a'), FULL, round('b'), FULL, round('c'), reply()], {
    compactions: [COMPACT_FAILED, COMPACT_FAILED, COMPACT_FAILED],
  });

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
  expect(deps.requests.map(({ room }) => room)).toEqual([
    ...['compact', 'none', 'compact', 'none', 'compact', 'none'],
    'none',
  ]);
});

test('the breaker stays open for the queries that follow', async () => {
  const deps = scriptedDeps([reply()]);
  const autoCompactTracking = tracking({ consecutiveFailures: 3 });

  await runLoop(params({ autoCompactTracking }), deps);

  expect(deps.requests[0]?.room).toBe('none');
});

test('a summary that succeeds takes the failures back', async () => {
  const deps = scriptedDeps([FULL, round('a'), FULL, round('b'), reply()], {
    compactions: [COMPACT_FAILED, compacted()],
  });

  const { states } = await runLoop(params(), deps);

  expect(states.map((state) => state.autoCompactTracking?.consecutiveFailures)).toEqual([1, 0]);
});

test('a request that fails behind its summary ends the query as any other does', async () => {
  const failed = {
    type: 'failed',
    messages: { leaf: 'summary', pending: [] },
    message: 'no network',
  } as const;
  const deps = scriptedDeps([FULL, failed], { compactions: [compacted()] });

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'model_error', message: 'no network' });
});

test('a context that is full even after its summary is sent to nobody', async () => {
  const deps = scriptedDeps([FULL, { ...FULL, leaf: 'still full' }], {
    compactions: [compacted()],
  });

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'blocking_limit' });
  expect(run.end.messages.leaf).toBe('still full');
});

describe('a context that fills again within three iterations of its summary', () => {
  test('is a rapid refill; the third in a row ends the query without a further summary', async () => {
    const deps = scriptedDeps([FULL, round('a'), FULL, round('b'), FULL, round('c'), FULL], {
      compactions: [compacted(), compacted(), compacted()],
    });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'rapid_refill_breaker' });
    expect(deps.compactRequests).toHaveLength(3);
    expect(run.end.messages).toEqual({
      leaf: 'full',
      pending: [{ type: 'api_error', error: 'rapid_refill' }],
    });
  });

  test('later than that is none, and forgets those before', async () => {
    const known = tracking({ compacted: true, turnCounter: 3, rapidRefills: 2 });
    const deps = scriptedDeps([FULL, round('a'), reply()], { compactions: [compacted()] });

    const { states } = await runLoop(params({ autoCompactTracking: known }), deps);

    expect(states[0]?.autoCompactTracking?.rapidRefills).toBe(0);
  });

  test('counts once if its summary fails: the context was not refilled, it stayed full', async () => {
    const failing = [COMPACT_FAILED, COMPACT_FAILED, COMPACT_FAILED];
    const steps = [FULL, round('a'), FULL, round('b'), FULL, round('c'), FULL, round('d'), reply()];
    const deps = scriptedDeps(steps, { compactions: [compacted(), ...failing] });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
    expect(run.states.map((state) => state.autoCompactTracking?.rapidRefills)).toEqual([
      0, 1, 1, 1,
    ]);
  });

  test.each([
    [3, true],
    [4, false],
  ])('%i iterations after the summary: %s', (turnCounter, isRapid) => {
    const { rapidRefills } = AutoCompactTracking.full(tracking({ compacted: true, turnCounter }));

    expect(rapidRefills).toBe(isRapid ? 1 : 0);
  });
});

describe('a summary that the user asked for', () => {
  const ASKED = { type: 'compact_command', leaf: 'full' } as const;

  test('is made without a request to the model, and ends the query', async () => {
    const deps = scriptedDeps([ASKED], { compactions: [compacted('summary')] });

    const run = await runLoop(params(), deps);

    expect(deps.compactRequests).toMatchObject([{ trigger: 'manual' }]);
    expect(run.terminal).toEqual({ reason: 'completed', detail: 'no_request' });
    expect(run.end.messages).toEqual({ leaf: 'summary', pending: [] });
  });

  test.each([
    ['full', REFUSED],
    ['full', COMPACT_FAILED],
    ['full', { ...REFUSED, messages: { leaf: null, pending: [] } }],
  ])('ends at %s if it comes to nothing', async (leaf, came) => {
    const run = await runLoop(params(), scriptedDeps([ASKED], { compactions: [came] }));

    expect(run.terminal).toEqual({ reason: 'completed', detail: 'no_request' });
    expect(run.end.messages).toEqual({ leaf, pending: [] });
  });

  test('behind one that was just made is over the limit', async () => {
    const deps = scriptedDeps([FULL, ASKED], { compactions: [compacted()] });

    const run = await runLoop(params(), deps);

    expect(run.terminal).toEqual({ reason: 'blocking_limit' });
  });
});

test('a reactive compaction may follow a proactive one in the same turn', async () => {
  const refused = reply({ withheld: 'prompt_too_long', leaf: 'summary', requestLeaf: 'summary' });
  const deps = scriptedDeps([FULL, refused, toolReply(call('a')), reply()], {
    compactions: [compacted('summary'), compacted('shorter')],
  });

  await runLoop(params(), deps);

  expect(deps.compactRequests.map(({ trigger }) => trigger)).toEqual(['auto', 'reactive']);
  expect(deps.requests[2]?.messages.leaf).toBe('shorter');
});
