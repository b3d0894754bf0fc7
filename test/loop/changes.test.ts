import { withChanges, type QueryChanges } from '../../src/loop/changes';
import { call, params, reply, toolReply, usedState } from './builders';
import { runLoop } from './run-loop';
import { scriptedDeps } from './scripted-deps';

test('what people change holds from the next request on, and stays', async () => {
  const deps = scriptedDeps([toolReply(call('a')), toolReply(call('b')), reply({ model: 'new' })]);
  const changes: (QueryChanges | null)[] = [null, { model: 'new', permissionMode: 'plan' }];
  const host = { ...deps, takeChanges: () => changes.shift() ?? null };

  await runLoop(params(), host);

  const asked = deps.requests.map(({ toolUseContext: { model, permissionMode } }) => ({
    model,
    permissionMode,
  }));
  expect(asked.slice(0, 2)).toEqual([
    { model: 'model', permissionMode: 'default' },
    { model: 'new', permissionMode: 'plan' },
  ]);
  expect(asked[2]?.permissionMode).toBe('plan');
});

test('what is not changed stays as it is', () => {
  const state = usedState();

  expect(withChanges(state, null)).toBe(state);
  expect(withChanges(state, { model: 'new' })).toStrictEqual({
    ...state,
    toolUseContext: { ...state.toolUseContext, model: 'new' },
  });
  expect(withChanges(state, { permissionMode: 'auto' }).toolUseContext).toStrictEqual({
    ...state.toolUseContext,
    permissionMode: 'auto',
  });
});
