import { labelOf, timeoutMsOf } from '../../src/hooks/hook';
import { readClientHooks } from '../../src/hooks/client-hooks';
import { createHookSet, type HookSet } from '../../src/hooks/hook-set';
import type { HookInput } from '../../src/hooks/hook-event';
import { SettingsError } from '../../src/settings/settings-file';
import { layer, preToolUse, sessionEnd, setOf, stop } from './given';

const group = (command: string, more: object = {}) => [
  { hooks: [{ type: 'command', command, ...more }] },
];
const labels = (set: HookSet, input: HookInput): readonly string[] =>
  set.matching(input).map(labelOf);

test('hooks of all layers are joined, strongest first', () => {
  const set = setOf(
    layer({ hooks: { Stop: group('one') } }, 'local'),
    layer({ hooks: { Stop: group('two') } }, 'project'),
    layer({ hooks: { Stop: group('three') } }, 'user'),
  );

  expect(labels(set, stop())).toEqual(['one', 'two', 'three']);
  expect([set.hasHooks('Stop'), set.hasHooks('PreToolUse')]).toEqual([true, false]);
});

test('identical commands run once, also from several layers', () => {
  const set = setOf(
    layer({ hooks: { Stop: [...group('same'), ...group('same')] } }, 'project'),
    layer({ hooks: { Stop: group('same') } }, 'user'),
  );

  expect(labels(set, stop())).toEqual(['same']);
});

test('a matcher chooses the tool, and an event without a choice ignores it', () => {
  const only = (matcher: string) => [{ matcher, ...group(matcher)[0] }];
  const set = setOf(
    layer({ hooks: { PreToolUse: [...only('Bash'), ...only('Read|Edit')], Stop: only('Bash') } }),
  );

  expect(labels(set, preToolUse())).toEqual(['Bash']);
  expect(labels(set, stop())).toEqual(['Bash']);
});

test('`if` holds a hook back from calls that its rule does not speak of', () => {
  const set = setOf(layer({ hooks: { PreToolUse: group('guard', { if: 'Bash(git push:*)' }) } }));
  const call = (command: string) => preToolUse({ tool_input: { command } });

  expect(labels(set, call('git push origin'))).toEqual(['guard']);
  expect(labels(set, call('npm test && git push'))).toEqual(['guard']);
  expect(labels(set, call('git status'))).toEqual([]);
});

test.each([
  ['nobody', [], ['managed', 'user']],
  ['the user', ['user'], ['managed']],
  ['the organisation', ['managed'], []],
] as const)('disableAllHooks said by %s', (_, by, left) => {
  const of = (source: 'managed' | 'user') =>
    layer(
      {
        hooks: { Stop: group(source) },
        ...(by.some((one) => one === source) && { disableAllHooks: true }),
      },
      source,
    );

  expect(labels(setOf(of('managed'), of('user')), stop())).toEqual(left);
});

test('allowManagedHooksOnly counts from the organisation alone', () => {
  const managed = (raw: object) => layer({ hooks: { Stop: group('m') }, ...raw }, 'managed');
  const user = (raw: object) => layer({ hooks: { Stop: group('u') }, ...raw }, 'user');
  const only = { allowManagedHooksOnly: true };

  expect(labels(setOf(managed(only), user({})), stop())).toEqual(['m']);
  expect(labels(setOf(managed({}), user(only)), stop())).toEqual(['m', 'u']);
});

test.each([
  [{ Stop: 'x' }, 'hooks.Stop is "x": it must be a list of objects with "matcher" and "hooks"'],
  [{ Stop: [{}] }, 'hooks.Stop.0.hooks is missing: it must be a list of hooks'],
  [
    { Stop: [{ hooks: [{ type: 'shell' }] }] },
    'hooks.Stop.0.hooks.0.type is "shell": it must be an object of type',
  ],
  [{ Stop: group('') }, 'hooks.Stop.0.hooks.0.command is "": it must be a command'],
  [
    { Stop: group('x', { timeout: 'ten' }) },
    'hooks.Stop.0.hooks.0.timeout is "ten": it must be a number of seconds',
  ],
  [
    { Stop: group('x', { if: '(' }) },
    'hooks.Stop.0.hooks.0.if is "(": it must be a permission rule',
  ],
  [
    { PreToolUse: [{ matcher: '[', hooks: [] }] },
    'hooks.PreToolUse.0.matcher is "[": it must be a name',
  ],
  [
    { Stop: [{ hooks: [{ type: 'http', url: 'ftp://x' }] }] },
    'url is "ftp://x": it must be an http or https address',
  ],
])('%j is refused by file, place, value and cure', (hooks, message) => {
  const read = () => setOf(layer({ hooks }));

  expect(read).toThrow(SettingsError);
  expect(read).toThrow(`Settings file /project.json: `);
  expect(read).toThrow(message);
});

test('what everloop cannot run is a warning, and the rest runs', () => {
  const hooks = [
    { type: 'prompt', prompt: 'ok?' },
    { type: 'command', command: 'runs' },
  ];
  const set = setOf(layer({ hooks: { Stop: [{ hooks }], FileChanged: [null] } }));

  expect(set.warnings).toEqual([
    'Settings file /project.json: hooks.Stop.0.hooks.0 never runs: everloop has no hooks of type "prompt". Use type "command" or "http".',
    'Settings file /project.json: hooks.FileChanged never runs, everloop has no such event. Correct or remove it.',
  ]);
  expect(labels(set, stop())).toEqual(['runs']);
});

test('an address outside allowedHttpHookUrls is never called', () => {
  const hooks = ['http://127.0.0.1/a', 'http://other/a'].map((url) => ({ type: 'http', url }));
  const set = setOf(
    layer({ allowedHttpHookUrls: ['http://127.0.0.1/*'], hooks: { Stop: [{ hooks }] } }),
  );

  expect(labels(set, stop())).toEqual(['http://127.0.0.1/a']);
  expect(set.warnings[0]).toContain('allowedHttpHookUrls has no pattern for http://other/a');
});

test('a hook has ten minutes, at the end of a session 1.5 seconds', () => {
  const set = setOf(
    layer({
      hooks: { Stop: group('x'), SessionEnd: [...group('x'), ...group('y', { timeout: 3 })] },
    }),
  );
  const timeouts = (input: HookInput) =>
    set.matching(input).map((hook) => timeoutMsOf(hook, input.hook_event_name));

  expect(timeouts(stop())).toEqual([600_000]);
  expect(timeouts(sessionEnd())).toEqual([1_500, 3_000]);
});

test('hooks of a client pass through the same matching, after those of the settings', () => {
  const registration = {
    PreToolUse: [
      { matcher: 'Bash', hookCallbackIds: ['hook_0'] },
      { matcher: 'Read', hookCallbackIds: ['hook_1'] },
    ],
  };
  const client = createHookSet([readClientHooks(registration)]);

  expect(labels(client, preToolUse())).toEqual(['hook_0']);
});
