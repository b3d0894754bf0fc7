import type { ToolOutcome } from '../../src/loop/outcomes';
import { STRUCTURED_OUTPUT } from '../../src/loop/tool-batch';
import { call, DONE, params, reply, toolReply } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const value = (id: string) => call(id, { name: STRUCTURED_OUTPUT });
const WRONG: ToolOutcome = { type: 'done', isError: true };
const RIGHT: ToolOutcome = { type: 'done', isError: false, structuredOutput: true };

test('a valid value ends the query, after the whole batch', async () => {
  const deps = scriptedDeps([toolReply(value('v'), call('a'))], ({ toolUse }) =>
    Promise.resolve(toolUse.id === 'v' ? RIGHT : DONE),
  );
  deps.queued = ['waits'];

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'structured_output' });
  expect(run.end.messages.pending).toHaveLength(2);
  expect(deps.queued).toEqual(['waits']);
});

test('a value comes before the limit of turns', async () => {
  const deps = scriptedDeps([toolReply(value('v'))], () => Promise.resolve(RIGHT));

  const run = await runLoop(params({ maxTurns: 1 }), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'structured_output' });
  expect(run.events.some(({ type }) => type === 'attachment')).toBe(false);
});

test('four wrong values are told to the model, the fifth ends the query', async () => {
  const deps = scriptedDeps(
    Array.from({ length: 5 }, (_, index) => toolReply(value(`v${index}`))),
    () => Promise.resolve(WRONG),
  );
  deps.queued = [];

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(Array(4).fill('next_turn'));
  expect(run.terminal).toEqual({ reason: 'structured_output_retry_exhausted' });
  expect(run.end.messages.pending).toHaveLength(1);
});

test('errors of other tools do not count', async () => {
  const rounds = Array.from({ length: 6 }, (_, index) => toolReply(call(`a${index}`)));
  const deps = scriptedDeps([...rounds, reply()], () => Promise.resolve(WRONG));

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});
