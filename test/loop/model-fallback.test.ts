import { call, compacted, DONE, params, reply, toolReply, tooLong, truncated } from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

const fallback = { model: 'fallback' };

test('once the fallback model answered, every request after it goes there', async () => {
  const deps = scriptedDeps([
    { ...toolReply(call('a')), ...fallback },
    { ...toolReply(call('b')), ...fallback },
    reply(fallback),
  ]);

  const run = await runLoop(params(), deps);

  expect(deps.requests.map(({ toolUseContext }) => toolUseContext.model)).toEqual([
    'model',
    'fallback',
    'fallback',
  ]);
  expect(run.states).toHaveLength(2);
});

test('it stays through a recovery too', async () => {
  const deps = scriptedDeps([truncated(fallback), reply(fallback)]);

  await runLoop(params(), deps);

  expect(deps.requests[1]?.toolUseContext).toEqual({ ...params().toolUseContext, ...fallback });
});

test('a summary that its reply asks for is its own', async () => {
  const deps = scriptedDeps([tooLong(fallback), reply(fallback)], { compactions: [compacted()] });

  await runLoop(params(), deps);

  expect(deps.compactRequests[0]?.toolUseContext.model).toBe('fallback');
});

test('a shell that moved in the same turn keeps its folder', async () => {
  const cd = { ...toolReply(call('cd')), ...fallback };
  const deps = scriptedDeps([cd, reply(fallback)], () =>
    Promise.resolve({ ...DONE, workingDirectory: '/moved' }),
  );

  await runLoop(params(), deps);

  expect(deps.requests[1]?.toolUseContext).toMatchObject({
    model: 'fallback',
    workingDirectory: '/moved',
  });
});
