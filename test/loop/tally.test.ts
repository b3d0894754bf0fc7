import type { LoopEvent, ToolOutcome } from '../../src/loop/deps';
import { Tally } from '../../src/loop/tally';
import type { Terminal } from '../../src/loop/terminal';
import { call, DONE, reply, usedState } from './builders';

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

test.each<LoopEvent>([
  { type: 'stream_request_start', turnCount: 3, model: 'model' },
  { type: 'stream_event', event: {} },
  { type: 'transition', state: usedState() },
])('$type changes nothing', (event) => {
  expect(tallyOf(event)).toBe(start);
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
])('after two results, %j makes %i turns', (terminal, numTurns) => {
  expect(tallyOf(result('a', DONE), result('b', DONE), end(terminal)).numTurns).toBe(numTurns);
});
