import type { LoopEvent } from '../../src/loop/events';
import type { ToolOutcome } from '../../src/loop/outcomes';
import { costOf, withoutDate } from '../../src/loop/price-table';
import { costOfModel, costOfQuery, Tally } from '../../src/loop/tally';
import type { Terminal } from '../../src/loop/terminal';
import { call, COMPACT_FAILED, compacted, DONE, reply, usedLocals, usedState } from './builders';

const start = Tally.start(1_000);
const tallyOf = (...events: readonly LoopEvent[]): Tally =>
  events.reduce((tally, event) => Tally.after(tally, event), start);
const usage = (tokens: number) => ({
  input_tokens: tokens,
  output_tokens: tokens * 2,
  cache_creation_input_tokens: tokens * 3,
  cache_read_input_tokens: tokens * 4,
});
const DENIED: ToolOutcome = { type: 'done', isError: true, denied: true };
const result = (id: string, outcome: ToolOutcome): LoopEvent => ({
  type: 'tool_result',
  toolUse: call(id),
  outcome,
});
const end = (terminal: Terminal): LoopEvent => ({
  type: 'end',
  messages: { leaf: null, pending: [] },
  terminal,
});

test('a query begins with nothing used, in its first turn', () => {
  expect(start).toEqual({
    startedAtMs: 1_000,
    apiMs: 0,
    usageByModel: {},
    denied: [],
    consumed: [],
    numTurns: 1,
    stopReason: null,
  });
});

test('tokens add up by model, API time over all; the last stop_reason counts', () => {
  const tally = tallyOf(
    { type: 'assistant', reply: reply({ model: 'a', usage: usage(1), apiMs: 10 }) },
    { type: 'assistant', reply: reply({ model: 'b', usage: usage(10), apiMs: 20 }) },
    { type: 'assistant', reply: reply({ model: 'a', usage: usage(100), stopReason: 'refusal' }) },
  );

  expect(tally).toEqual({
    ...start,
    apiMs: 30,
    stopReason: 'refusal',
    usageByModel: { a: usage(101), b: usage(10) },
  });
});

test('what a request has really cost takes the place of what the table says, model by model', () => {
  const tally = tallyOf(
    { type: 'assistant', reply: reply({ model: 'a', usage: usage(1_000), costUsd: 2 }) },
    { type: 'assistant', reply: reply({ model: 'a', usage: usage(1_000), costUsd: 3 }) },
    { type: 'assistant', reply: reply({ model: 'b', usage: usage(1_000) }) },
  );

  expect(costOfModel(tally, 'a')).toBeCloseTo(5, 9);
  expect(costOfModel(tally, 'b')).toBe(costOf('b', usage(1_000)));
  expect(costOfModel(tally, 'never asked')).toBe(0);
  expect(costOfQuery(tally)).toBeCloseTo(5 + costOf('b', usage(1_000)), 9);
});

test.each([
  ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
  ['claude-haiku-4-5', 'claude-haiku-4-5'],
  ['model-2025', 'model-2025'],
])('%s is %s', (dated, name) => {
  expect(withoutDate(dated)).toBe(name);
});

test('each tool result is a turn; refused calls are named in order', () => {
  const tally = tallyOf(
    result('a', DENIED),
    result('b', DONE),
    result('c', { type: 'failed', message: 'boom' }),
    result('d', DENIED),
  );

  expect(tally).toEqual({
    ...start,
    numTurns: 5,
    denied: [
      { id: 'a', recordId: 'record-a' },
      { id: 'd', recordId: 'record-d' },
    ],
  });
});

test('messages that were taken are named in order, other attachments leave no trace', () => {
  const tally = tallyOf(
    { type: 'attachment', attachment: { type: 'queued_message', messageId: 'x' } },
    { type: 'attachment', attachment: { type: 'max_turns_reached', maxTurns: 1, turnCount: 2 } },
    { type: 'attachment', attachment: { type: 'queued_message', messageId: 'y' } },
  );

  expect(tally).toEqual({ ...start, consumed: ['x', 'y'] });
});

test.each<{ readonly event: LoopEvent }>([
  { event: { type: 'stream_request_start', turnCount: 3, model: 'model' } },
  { event: { type: 'stream_event', event: {} } },
  { event: { type: 'tool_use_summary', summary: 'Read a file' } },
  { event: { type: 'compaction', trigger: 'auto', outcome: COMPACT_FAILED } },
  { event: { type: 'transition', state: usedState(), locals: usedLocals() } },
  { event: { type: 'transition', state: usedState({ transition: null }), locals: usedLocals() } },
])('$event.type changes nothing', ({ event }) => {
  expect(tallyOf(event)).toBe(start);
});

test('a summary costs what its request used, and is a turn', () => {
  const costs = { model: 'small', usage: usage(5), apiMs: 7 };
  const event = {
    type: 'compaction',
    trigger: 'auto',
    outcome: compacted('x', { costs }),
  } as const;

  expect(tallyOf(event)).toEqual({
    ...start,
    apiMs: 7,
    numTurns: 2,
    usageByModel: { small: usage(5) },
  });
});

test('the feedback of a Stop hook is a turn', () => {
  const state = usedState({ transition: { reason: 'stop_hook_blocking' } });

  expect(tallyOf({ type: 'transition', state, locals: usedLocals() }).numTurns).toBe(2);
});

test.each<[Terminal, number]>([
  [{ reason: 'completed', detail: 'end_turn' }, 3],
  [{ reason: 'completed', detail: 'api_error' }, 3],
  [{ reason: 'completed', detail: 'output_limit' }, 3],
  [{ reason: 'completed', detail: 'no_request' }, 0],
  [{ reason: 'max_turns', turnCount: 9 }, 9],
  [{ reason: 'aborted_streaming', by: 'user' }, 4],
  [{ reason: 'aborted_streaming', by: 'new_message' }, 3],
  [{ reason: 'aborted_tools', by: 'user' }, 4],
  [{ reason: 'aborted_tools', by: 'new_message' }, 3],
  [{ reason: 'model_error', message: 'boom' }, 3],
  [{ reason: 'prompt_too_long' }, 3],
  [{ reason: 'image_error' }, 3],
  [{ reason: 'blocking_limit' }, 3],
  [{ reason: 'stop_hook_prevented' }, 3],
  [{ reason: 'hook_stopped' }, 3],
  [{ reason: 'rapid_refill_breaker' }, 3],
  [{ reason: 'budget_exhausted' }, 3],
  [{ reason: 'structured_output_retry_exhausted' }, 3],
])('after two results, %j makes %i turns', (terminal, numTurns) => {
  expect(tallyOf(result('a', DONE), result('b', DONE), end(terminal)).numTurns).toBe(numTurns);
});
