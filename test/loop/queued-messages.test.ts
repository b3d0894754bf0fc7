import { call, DONE, params, reply, toolReply } from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const sleep = call('zzz', { name: 'Sleep' });

test('a message for later waits as long as the agent works', async () => {
  const deps = scriptedDeps([toolReply(call('a')), reply()]);
  deps.queued = ['now'];
  deps.queuedForLater = ['later'];

  await runLoop(params(), deps);

  expect(deps.takenUpTo).toEqual(['next']);
  expect(deps.queuedForLater).toEqual(['later']);
});

test('an agent that slept hears it', async () => {
  const deps = scriptedDeps([toolReply(call('a'), sleep), reply()]);
  deps.queued = ['next'];
  deps.queuedForLater = ['later'];

  await runLoop(params(), deps);

  expect(deps.requests[1]?.messages.pending.slice(2)).toEqual([
    { type: 'message', messageId: 'next', steering: true },
    { type: 'message', messageId: 'later', steering: true },
  ]);
});

test('a sleep is forgotten after its turn', async () => {
  const deps = scriptedDeps([toolReply(sleep), toolReply(call('a')), reply()]);

  await runLoop(params(), deps);

  expect(deps.takenUpTo).toEqual(['later', 'next']);
});

test('a query that a hook ends takes no message', async () => {
  const deps = scriptedDeps([toolReply(call('a'))], () =>
    Promise.resolve({ ...DONE, hookStopped: true }),
  );
  deps.queued = ['waits'];

  await runLoop(params({ maxTurns: 1 }), deps);

  expect(deps.queued).toEqual(['waits']);
});
