import type { ModelOutcome } from '../../src/loop/outcomes';
import { endAtMoneyLimit } from '../../src/loop/money-limit';
import { Tally } from '../../src/loop/tally';
import type { Terminal } from '../../src/loop/terminal';
import {
  call,
  compacted,
  DONE,
  FULL,
  params,
  REFUSED,
  reply,
  safeCall,
  toolReply,
  tooBigMedia,
  tooLong,
  truncated,
  usageOf,
} from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps, type Host, type Step } from './scripted-deps';

/* The ways out of the loop, one test each. The ten reasons of the source documents are seventeen ways:
 *   completed            6: end_turn, empty, api_error, output_limit, no_request, structured_output
 *   aborted_streaming    2: by the user, by a new message
 *   aborted_tools        2: by the user, by a new message
 *   blocking_limit, prompt_too_long, image_error, model_error, stop_hook_prevented, hook_stopped, max_turns: 7
 * Three newer reasons come on top: rapid_refill_breaker, budget_exhausted, structured_output_retry_exhausted.
 * A model_error is always one of the request: what breaks in a stream is redone, or ends `completed` by api_error. */

const failed: ModelOutcome = {
  type: 'failed',
  messages: { leaf: null, pending: [] },
  message: 'no transcript',
};

const many = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);

const stopWhileStreaming = (by: 'user' | 'new_message'): Step =>
  async function* (deps) {
    yield { type: 'stream_event', event: 'first' };
    deps.stop(by);
    return {
      type: 'interrupted',
      messages: { leaf: 'part', pending: [] },
      stream: 'stream',
      toolUses: [],
    };
  };

const stopWhileToolsRun = (by: 'user' | 'new_message'): Host => ({
  async runTool(_call, deps) {
    deps.stop(by);
    return { type: 'interrupted' };
  },
});

const structured = call('value', { name: 'StructuredOutput' });

interface WayOut {
  readonly name: string;
  readonly terminal: Terminal;
  readonly steps: readonly Step[];
  readonly host?: Host;
}

const WAYS: readonly WayOut[] = [
  {
    name: 'completed by end_turn: the model has said its last word',
    terminal: { reason: 'completed', detail: 'end_turn' },
    steps: [reply()],
  },
  {
    name: 'completed by an empty reply',
    terminal: { reason: 'completed', detail: 'empty' },
    steps: [reply({ isEmpty: true })],
  },
  {
    name: 'completed by an API error',
    terminal: { reason: 'completed', detail: 'api_error' },
    steps: [reply({ apiError: 'rate_limit' })],
  },
  {
    name: 'completed by an output limit that three nudges did not cure',
    terminal: { reason: 'completed', detail: 'output_limit' },
    steps: many(4, truncated()),
  },
  {
    name: 'completed by a local command, without a request',
    terminal: { reason: 'completed', detail: 'no_request' },
    steps: [{ type: 'no_request', leaf: 'local' }],
  },
  {
    name: 'completed by the value of a schema',
    terminal: { reason: 'completed', detail: 'structured_output' },
    steps: [toolReply(structured)],
    host: { runTool: () => Promise.resolve({ ...DONE, structuredOutput: true }) },
  },
  {
    name: 'blocking_limit: the context is full before the request',
    terminal: { reason: 'blocking_limit' },
    steps: [{ type: 'blocking_limit', leaf: 'full' }],
  },
  {
    name: 'prompt_too_long: nothing made it shorter',
    terminal: { reason: 'prompt_too_long' },
    steps: [tooLong(), tooLong()],
    host: { compactions: [compacted()] },
  },
  {
    name: 'image_error: nothing made the media smaller',
    terminal: { reason: 'image_error' },
    steps: [tooBigMedia(), tooBigMedia()],
    host: { compactions: [compacted()] },
  },
  {
    name: 'model_error by the request: it could not be made',
    terminal: { reason: 'model_error', message: 'no transcript' },
    steps: [failed],
  },
  {
    name: 'aborted_streaming by the user',
    terminal: { reason: 'aborted_streaming', by: 'user' },
    steps: [stopWhileStreaming('user')],
  },
  {
    name: 'aborted_streaming by a new message',
    terminal: { reason: 'aborted_streaming', by: 'new_message' },
    steps: [stopWhileStreaming('new_message')],
  },
  {
    name: 'aborted_tools by the user',
    terminal: { reason: 'aborted_tools', by: 'user' },
    steps: [toolReply(call('a'))],
    host: stopWhileToolsRun('user'),
  },
  {
    name: 'aborted_tools by a new message',
    terminal: { reason: 'aborted_tools', by: 'new_message' },
    steps: [toolReply(call('a'))],
    host: stopWhileToolsRun('new_message'),
  },
  {
    name: 'stop_hook_prevented: a Stop hook wants the end at once',
    terminal: { reason: 'stop_hook_prevented' },
    steps: [reply({ hasStopHooks: true })],
    host: { verdicts: [{ type: 'prevented', leaf: 'why' }] },
  },
  {
    name: 'hook_stopped: a hook of a tool wants the end',
    terminal: { reason: 'hook_stopped' },
    steps: [toolReply(call('a'))],
    host: { runTool: () => Promise.resolve({ ...DONE, hookStopped: true }) },
  },
  {
    name: 'max_turns: the next turn is over the limit',
    terminal: { reason: 'max_turns', turnCount: 10 },
    steps: many(9, toolReply(call('a'))),
  },
  {
    name: 'rapid_refill_breaker: the context fills again whatever is summarised',
    terminal: { reason: 'rapid_refill_breaker' },
    steps: [...many(3, [FULL, toolReply(safeCall('a'))]).flat(), FULL],
    host: { compactions: many(3, compacted()) },
  },
  {
    name: 'structured_output_retry_exhausted: five calls with a wrong value',
    terminal: { reason: 'structured_output_retry_exhausted' },
    steps: many(5, toolReply(structured)),
    host: { runTool: () => Promise.resolve({ type: 'done', isError: true }) },
  },
];

test.each(WAYS)('$name', async ({ terminal, steps, host = {} }) => {
  const deps = scriptedDeps(steps, host);

  const run = await runLoop(params({ maxTurns: 9 }), deps);

  expect(run.terminal).toEqual(terminal);
  expect(run.end.terminal).toEqual(terminal);
  expect(deps.requests).toHaveLength(steps.length);
});

test('budget_exhausted: the reply crossed the money limit, and its calls are not waited for', () => {
  const dear = reply({
    toolUses: [call('a')],
    model: 'claude-sonnet-4-5',
    usage: usageOf({ output_tokens: 1_000_000 }),
  });
  const event = { type: 'assistant', reply: dear } as const;

  const end = endAtMoneyLimit({ maxBudgetUsd: 14 }, event, Tally.after(Tally.start(0), event));

  expect(end).toEqual({
    type: 'end',
    terminal: { reason: 'budget_exhausted' },
    messages: {
      leaf: 'reply-leaf',
      pending: [
        {
          type: 'tool_result',
          toolUse: { id: 'a', recordId: 'record-a' },
          lost: 'budget_exhausted',
        },
      ],
    },
  });
});

test.each<[string, readonly ModelOutcome[], unknown]>([
  ['blocking_limit', [{ type: 'blocking_limit', leaf: 'request-leaf' }], 'blocking_limit'],
  ['prompt_too_long', [tooLong()], 'prompt_too_long'],
  ['media_size', [tooBigMedia()], 'media_size'],
  ['output_limit', many(4, truncated({ leaf: 'request-leaf' })), 'max_output_tokens'],
])('%s: people see the error, once and last', async (_name, steps, error) => {
  const run = await runLoop(params(), scriptedDeps(steps, { compactions: [REFUSED] }));

  expect(run.end.messages).toEqual({
    leaf: 'request-leaf',
    pending: [{ type: 'api_error', error }],
  });
});

test.each([
  ['prompt_too_long', 'prompt_too_long'],
  ['media_size', 'image_error'],
] as const)('an API error %s that nobody withheld ends %s', async (apiError, reason) => {
  const run = await runLoop(params(), scriptedDeps([reply({ apiError })]));

  expect(run.terminal).toEqual({ reason });
  expect(run.end.messages).toEqual({ leaf: 'reply-leaf', pending: [] });
});

test('a refusal by the model is an answer', async () => {
  const run = await runLoop(params(), scriptedDeps([reply({ stopReason: 'refusal' })]));

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('a local command is no request: the context ends where its answer does', async () => {
  const run = await runLoop(params(), scriptedDeps([{ type: 'no_request', leaf: 'local' }]));

  expect(run.end.messages).toEqual({ leaf: 'local', pending: [] });
  expect(run.events.map(({ type }) => type)).toEqual(['stream_request_start', 'end']);
});

test('a call that failed before anything was chained leaves the whole context to be chained', async () => {
  const { messages } = params();

  const run = await runLoop(
    params(),
    scriptedDeps([{ type: 'failed', messages, message: 'boom' }]),
  );

  expect(run.end.messages).toEqual(messages);
});
