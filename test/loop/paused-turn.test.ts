import { params, reply } from './builders';
import { reasonsOf, runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const paused = reply({ stopReason: 'pause_turn', leaf: 'paused-leaf' });

test('a turn that the API has paused goes on with the same context', async () => {
  const deps = scriptedDeps([paused, reply()]);

  const run = await runLoop(params(), deps);

  expect(reasonsOf(run)).toEqual(['next_turn']);
  expect(deps.requests[1]?.messages).toEqual({ leaf: 'paused-leaf', pending: [] });
  expect(run.terminal).toEqual({ reason: 'completed', detail: 'end_turn' });
});

test('a paused turn is no end: Stop hooks are asked when it is over', async () => {
  const heard: string[] = [];
  const deps = scriptedDeps([{ ...paused, hasStopHooks: true }, reply({ hasStopHooks: true })]);
  deps.runStopHooks = async ({ leaf }) => {
    heard.push(leaf);
    return { type: 'passed' };
  };

  await runLoop(params(), deps);

  expect(heard).toEqual(['reply-leaf']);
});

test('the turn limit counts paused turns too', async () => {
  const deps = scriptedDeps([paused, paused]);

  const run = await runLoop(params({ maxTurns: 2 }), deps);

  expect(run.terminal).toEqual({ reason: 'max_turns', turnCount: 3 });
});
