import { Counters } from '../../src/loop/counters';
import type { LoopEvent } from '../../src/loop/events';
import { Locals } from '../../src/loop/locals';
import { State } from '../../src/loop/state';
import { call, compacted, DONE, params, REFUSED, reply, usageOf } from './builders';

type Told = readonly [event: LoopEvent, atMs: number];

const begun = State.initial(params());
const locals = Locals.initial(params());
const begins = (turnCount = 1): LoopEvent => ({
  type: 'stream_request_start',
  turnCount,
  model: 'model',
});
const replied: LoopEvent = { type: 'assistant', reply: reply() };
const goesOn = (state: State): LoopEvent => ({ type: 'transition', state, locals });
const nextTurn = goesOn(
  State.nextTurn(begun, {
    leaf: 'leaf',
    pending: [],
    toolUseContext: begun.toolUseContext,
    pendingToolUseSummary: null,
  }),
);
const nudged = goesOn(State.maxOutputTokensRecovery(begun, { leaf: 'part' }));
const summarised: LoopEvent = { type: 'compaction', trigger: 'auto', outcome: compacted() };
const ends: LoopEvent = {
  type: 'end',
  messages: { leaf: null, pending: [] },
  terminal: { reason: 'completed', detail: 'end_turn' },
};

const after = (...told: readonly Told[]): Counters =>
  told.reduce((counters, [event, atMs]) => Counters.after(counters, event, atMs), START);
const START = Counters.start(1_000);

test('a query that has just begun has counted nothing', () => {
  expect(START).toEqual({
    iterations: 0,
    iterationMs: 0,
    compactions: 0,
    turnsBetweenCompactions: null,
    lastCompactionTurn: null,
    recoveries: {},
    toolMs: 0,
    overlapMs: 0,
    contextTokens: 0,
    contextWarning: null,
    iterationStartedAtMs: 1_000,
    repliedAtMs: null,
    turn: 1,
  });
});

test('iterations of a prompt are counted with their time, recoveries among them by their reason', () => {
  const counters = after(
    [begins(1), 1_000],
    [nextTurn, 1_300],
    [begins(2), 1_300],
    [nudged, 1_500],
    [begins(2), 1_500],
    [nudged, 1_600],
    [begins(2), 1_600],
    [ends, 1_700],
  );

  expect(counters).toMatchObject({ iterations: 4, iterationMs: 700, turn: 2 });
  expect(counters.recoveries).toEqual({ max_output_tokens_recovery: 2 });
});

test('compactions are counted with the turns between the last two', () => {
  const one = after([begins(3), 1_000], [summarised, 1_000]);
  const two = Counters.after(Counters.after(one, begins(10), 2_000), summarised, 2_000);

  expect(one).toMatchObject({ compactions: 1, turnsBetweenCompactions: null });
  expect(two).toMatchObject({ compactions: 2, turnsBetweenCompactions: 7 });
});

test('a compaction that did not come about is none', () => {
  const counters = after([{ type: 'compaction', trigger: 'auto', outcome: REFUSED }, 1_000]);

  expect(counters).toEqual(START);
});

test('the context is what the last request and its reply held', () => {
  const usage = usageOf({ input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 20 });

  const counters = after([{ type: 'assistant', reply: reply({ usage }) }, 1_400]);

  expect(counters).toMatchObject({ contextTokens: 125, repliedAtMs: 1_400 });
});

test.each([
  ['that ended while the reply streamed overlaps with it wholly', [begins(), 1_000], 200, 200],
  ['that the reply ended under overlaps in part', [replied, 1_250], 200, 150],
  ['that began after the reply does not overlap', [replied, 1_050], 200, 0],
] satisfies readonly (readonly [string, Told, number, number])[])(
  'a tool %s',
  (_claim, told, toolMs, overlapMs) => {
    const counters = Counters.afterTool(after(told), 1_100, 1_300);

    expect(counters).toMatchObject({ toolMs, overlapMs });
  },
);

test.each<LoopEvent>([
  { type: 'stream_event', event: 'delta' },
  { type: 'tool_result', toolUse: call('a'), outcome: DONE },
  { type: 'tool_use_summary', summary: 'Read a file' },
  { type: 'attachment', attachment: { type: 'queued_message', messageId: 'm' } },
  goesOn(begun),
])('$type counts as nothing', (event) => {
  expect(Counters.after(START, event, START.iterationStartedAtMs)).toEqual(START);
});

test('the mark that the last request reached shows until one stays below it', () => {
  const near: LoopEvent = { type: 'assistant', reply: { ...reply(), contextWarning: 'error' } };

  expect(after([near, 2_000]).contextWarning).toBe('error');
  expect(after([near, 2_000], [replied, 3_000]).contextWarning).toBeNull();
});
