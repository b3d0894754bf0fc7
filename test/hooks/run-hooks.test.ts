import { readFile } from 'node:fs/promises';
import { readClientHooks } from '../../src/hooks/client-hooks';
import { createHookSet } from '../../src/hooks/hook-set';
import type { HookReport } from '../../src/hooks/run-hooks';
import { commands, HookRig, postToolUse, preToolUse, prints, stop, userPrompt } from './given';

const rig = new HookRig();
beforeEach(() => rig.open());
afterEach(() => rig.close());

test('a hook reads its input on stdin, in its folder, with the project named', async () => {
  const set = commands('PreToolUse', 'cat > input; echo "$CLAUDE_PROJECT_DIR $EXTRA $PWD" > env');

  await rig.run(set, preToolUse(), { projectDir: '/project', env: { EXTRA: 'extra' } });

  const folder = rig.file('.').replace(/\/$/, '');
  expect(JSON.parse(await readFile(rig.file('input'), 'utf8'))).toEqual(preToolUse());
  expect(await readFile(rig.file('env'), 'utf8')).toBe(`/project extra ${folder}\n`);
});

test('without a matching hook nothing is started and the verdict is empty', async () => {
  const verdict = await rig.run(commands('Stop', 'touch ran'), preToolUse());

  expect(verdict).toMatchObject({ permission: null, blocking: [], contexts: [], warnings: [] });
});

test('exit code 2 denies a call with stderr', async () => {
  const { permission } = await rig.run(commands('PreToolUse', 'echo no >&2; exit 2'), preToolUse());

  expect(permission).toEqual({ behavior: 'deny', reason: 'no' });
});

test('exit code 2 of a Stop hook is an objection', async () => {
  const { blocking } = await rig.run(commands('Stop', 'echo lint >&2; exit 2'), stop());

  expect(blocking).toEqual([{ hook: 'echo lint >&2; exit 2', reason: 'lint' }]);
});

test('any other exit code is a warning that blocks nothing', async () => {
  const verdict = await rig.run(commands('PreToolUse', 'echo oops >&2; exit 1'), preToolUse());

  expect(verdict.permission).toBeNull();
  expect(verdict.warnings).toEqual([
    'PreToolUse hook echo oops >&2; exit 1 failed (exit code 1): oops',
  ]);
});

test('what a UserPromptSubmit hook prints is context, what a Stop hook prints is not', async () => {
  const prompt = await rig.run(commands('UserPromptSubmit', 'echo remember'), userPrompt());
  const atStop = await rig.run(commands('Stop', 'echo remember'), stop());

  expect([prompt.contexts, atStop.contexts]).toEqual([['remember'], []]);
});

test('several hooks: deny wins over ask over allow, whatever their order', async () => {
  const said = (permissionDecision: string) =>
    prints({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision,
        permissionDecisionReason: `${permissionDecision}!`,
      },
    });
  const of = async (...decisions: string[]) =>
    (await rig.run(commands('PreToolUse', ...decisions.map(said)), preToolUse())).permission;

  expect(await of('allow', 'deny', 'ask')).toEqual({ behavior: 'deny', reason: 'deny!' });
  expect(await of('allow', 'ask')).toEqual({ behavior: 'ask', reason: 'ask!' });
  expect(await of('allow')).toEqual({ behavior: 'allow', reason: 'allow!' });
});

test('the first changed input counts and contexts add up, in the order of the settings', async () => {
  const answer = (command: string) =>
    prints({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        updatedInput: { command },
        additionalContext: command,
      },
    });
  const slowly = `sleep 0.05; ${answer('first')}`;

  const verdict = await rig.run(commands('PreToolUse', slowly, answer('second')), preToolUse());

  expect(verdict.updatedInput).toEqual({ command: 'first' });
  expect(verdict.contexts).toEqual(['first', 'second']);
});

test('any continue:false stops', async () => {
  const halts = prints({ continue: false, stopReason: 'halt now', systemMessage: 'told' });

  const verdict = await rig.run(commands('Stop', 'exit 0', halts), stop());

  expect(verdict.stop).toEqual({ reason: 'halt now' });
  expect(verdict.systemMessages).toEqual(['told']);
});

test('hooks of one event run at the same time', async () => {
  // Each waits for the other's file: one after the other they would never end.
  const meets = (mine: string, other: string) =>
    `touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done; echo met`;
  const set = commands('UserPromptSubmit', meets('a', 'b'), meets('b', 'a'));

  expect((await rig.run(set, userPrompt())).contexts).toEqual(['met', 'met']);
});

test('observers hear of start and end of a hook, with what it printed', async () => {
  const heard: unknown[] = [];
  const reports: HookReport[] = [];

  await rig.run(commands('PostToolUse', 'echo out; echo err >&2; exit 3'), postToolUse(), {
    onStarted: async ({ name }) => void heard.push(['started', name]),
    onFinished: async (report) =>
      void (heard.push(['finished', report.name]), reports.push(report)),
  });

  expect(heard).toEqual([
    ['started', 'PostToolUse:Bash'],
    ['finished', 'PostToolUse:Bash'],
  ]);
  expect(reports[0]).toMatchObject({
    outcome: 'error',
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

const CLIENT = { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] };

test('a hook of a client is asked with the id of the call, and its answer counts', async () => {
  const set = createHookSet([readClientHooks(CLIENT)]);
  const asked: unknown[] = [];

  const verdict = await rig.run(set, preToolUse(), {
    callbacks: async (id, input, toolUseId) => {
      asked.push([id, input.hook_event_name, toolUseId]);
      return { decision: 'block', reason: 'client says no' };
    },
  });

  expect(asked).toEqual([['hook_0', 'PreToolUse', 'toolu_1']]);
  expect(verdict.permission).toEqual({ behavior: 'deny', reason: 'client says no' });
});

test.each([
  ['ignore', null],
  ['block', { behavior: 'deny', reason: 'The client that hosts this hook is not connected.' }],
])('a client that is not there, onFailure %s', async (onFailure, permission) => {
  const registration = { PreToolUse: [{ hookCallbackIds: ['hook_0'], onFailure }] };

  const verdict = await rig.run(createHookSet([readClientHooks(registration)]), preToolUse());

  expect(verdict.permission).toEqual(permission);
  expect(verdict.warnings).toHaveLength(permission === null ? 1 : 0);
});

test('a client that does not answer in time: its signal aborts and the call is denied', async () => {
  const registration = { PreToolUse: [{ hookCallbackIds: ['hook_0'], timeout: 0.02 }] };
  let asked: AbortSignal | undefined;

  const verdict = await rig.run(createHookSet([readClientHooks(registration)]), preToolUse(), {
    callbacks: (_id, _input, _toolUseId, signal) => (
      (asked = signal),
      new Promise(() => undefined)
    ),
  });

  expect(asked?.aborted).toBe(true);
  expect(verdict.permission?.behavior).toBe('deny');
});

test('an abort while a client thinks: its signal aborts and no verdict is given', async () => {
  const abort = new AbortController();
  let asked: AbortSignal | undefined;

  const running = rig.run(createHookSet([readClientHooks(CLIENT)]), preToolUse(), {
    signal: abort.signal,
    callbacks: (_id, _input, _toolUseId, signal) => {
      asked = signal;
      abort.abort(new Error('stopped by the user'));
      return new Promise(() => undefined);
    },
  });

  await expect(running).rejects.toThrow('stopped by the user');
  expect(asked?.aborted).toBe(true);
});
