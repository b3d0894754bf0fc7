import { HostHooks } from '../../src/hooks/host-hooks';
import { createHookSet } from '../../src/hooks/hook-set';

const registration = {
  PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }],
  SessionStart: [{ hookCallbackIds: ['hook_1'] }],
};

test('what the host registers is asked, except about the life of its own session', () => {
  const hooks = new HostHooks();

  hooks.register(registration, async () => ({}));

  const set = createHookSet([hooks.source!]);
  expect(set.hasHooks('PreToolUse')).toBe(true);
  expect(set.hasHooks('SessionStart')).toBe(false);
});

test('a later registration takes the place of the one before', () => {
  const hooks = new HostHooks();
  hooks.register(registration, async () => ({}));

  hooks.register({ Stop: [{ hookCallbackIds: ['hook_2'] }] }, async () => ({}));

  const set = createHookSet([hooks.source!]);
  expect([set.hasHooks('PreToolUse'), set.hasHooks('Stop')]).toEqual([false, true]);
});

test('a registration that cannot be read is refused and changes nothing', () => {
  const hooks = new HostHooks();

  expect(() => hooks.register({ Stop: 'all' }, async () => ({}))).toThrow();
  expect(hooks.source).toBeNull();
});
