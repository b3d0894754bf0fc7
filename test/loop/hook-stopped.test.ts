import { call, DONE, params, safeCall, toolReply } from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

test('a hook that wants the end gets it after the whole batch', async () => {
  const deps = scriptedDeps([toolReply(call('a'), call('b'), safeCall('c'))], ({ toolUse }) =>
    Promise.resolve(toolUse.id === 'a' ? { ...DONE, hookStopped: true } : DONE),
  );

  const run = await runLoop(params(), deps);

  expect(run.terminal).toEqual({ reason: 'hook_stopped' });
  expect(deps.toolCalls.map(({ toolUse }) => toolUse.id)).toEqual(['a', 'b', 'c']);
  expect(run.end.messages.pending).toHaveLength(3);
});

test('in the last turn the hook is the reason, not the limit', async () => {
  const deps = scriptedDeps([toolReply(call('a'))], () =>
    Promise.resolve({ ...DONE, hookStopped: true }),
  );

  const run = await runLoop(params({ maxTurns: 1 }), deps);

  expect(run.terminal).toEqual({ reason: 'hook_stopped' });
  expect(run.events.some(({ type }) => type === 'attachment')).toBe(false);
});
