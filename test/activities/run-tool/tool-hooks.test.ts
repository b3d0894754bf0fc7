import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { callModel } from '../../../src/activities/call-model/call-model';
import { defineTool } from '../../../src/tools/tool';
import type { ReplyBlock } from '../../../src/scripted-model/reply';
import { input, toReply } from '../call-model/asked';
import { given, type GivenWorker } from '../given';
import { answers, decides, heard, hookUp, listens, objects } from '../hooked';
import { lastMessageOf } from '../requests';
import { until } from '../../tools/shell/until';
import { bash, called, recorded, resultOf, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const inWorkspace = (name: string): string => path.join(at.workspace, name);
const hasFile = (name: string): Promise<boolean> =>
  readFile(inWorkspace(name)).then(
    () => true,
    () => false,
  );
const notesOf = async (worker: GivenWorker): Promise<string> =>
  JSON.stringify((await recorded(at, worker))?.notes ?? []);

/** A call of Bash with these hooks, and a Worker to run it. */
async function hooked(command: string, hooks: Parameters<typeof hookUp>[1]): Promise<GivenWorker> {
  const done = { content: [{ type: 'text', text: 'Done.' }] } as const;
  at = await called([bash(command)], { replies: [done] });
  await hookUp(at, hooks);
  return at.worker();
}

const bypass = { mode: 'bypassPermissions' } as const;

test.each([
  ['exit code 2', objects('Not that.')],
  [
    'a decision',
    decides('PreToolUse', {
      permissionDecision: 'deny',
      permissionDecisionReason: 'Not that.',
    }),
  ],
])('a hook denies a call by %s, in every mode; the model reads why', async (_by, hook) => {
  const worker = await hooked('touch made', { PreToolUse: hook });

  const outcome = await run(at, worker, bypass);

  expect(outcome).toEqual({ type: 'done', isError: true, denied: true });
  expect(await resultOf(at, worker)).toMatchObject({ content: 'Not that.', is_error: true });
  expect(await hasFile('made')).toBe(false);
});

test('a hook that allows a call spares the question, but overrules no deny rule', async () => {
  const allow = decides('PreToolUse', { permissionDecision: 'allow' });
  const worker = await hooked('touch made', { PreToolUse: allow });

  const allowed = await run(at, worker);
  await at.close();
  at = await called([bash('touch made')], { disallowedTools: ['Bash(touch:*)'] });
  await hookUp(at, { PreToolUse: allow });
  const denied = await run(at, at.worker());

  expect(allowed).toEqual({ type: 'done', isError: false });
  expect(denied).toMatchObject({ isError: true, denied: true });
});

test('a call that a hook wants a person to confirm is denied where nobody can be asked', async () => {
  const ask = { permissionDecision: 'ask', permissionDecisionReason: 'Sure?' };
  const worker = await hooked('touch made', { PreToolUse: decides('PreToolUse', ask) });

  const outcome = await run(at, worker, bypass);

  expect(outcome).toMatchObject({ denied: true });
  expect(await textOf(at, worker)).toMatch(/Sure\?.*Nobody can be asked/);
});

test('of several hooks the strictest counts', async () => {
  const worker = await hooked('touch made', {
    PreToolUse: [decides('PreToolUse', { permissionDecision: 'allow' }), objects('No.')],
  });

  expect(await run(at, worker, bypass)).toMatchObject({ denied: true });
});

test('what a hook writes in place of the input runs, and the history keeps what the model wrote', async () => {
  const updatedInput = { command: 'echo theirs' };
  const worker = await hooked('echo mine', {
    PreToolUse: decides('PreToolUse', { permissionDecision: 'allow', updatedInput }),
    PostToolUse: listens('after'),
  });

  await run(at, worker);

  expect(await textOf(at, worker)).toBe('theirs');
  expect(await heard(at, 'after')).toMatchObject([{ tool_input: updatedInput }]);
  expect(JSON.stringify(await worker.transcript())).toContain('echo mine');
  expect(JSON.stringify(await worker.transcript())).not.toContain('theirs');
});

test('permission is asked for what will run, not for what the model wrote', async () => {
  const updatedInput = { command: 'touch made' };
  const worker = await hooked('echo mine', {
    PreToolUse: decides('PreToolUse', { updatedInput }),
  });

  expect(await run(at, worker)).toMatchObject({ denied: true });
  expect(await hasFile('made')).toBe(false);
});

test('input that the tool cannot read changes nothing', async () => {
  const updatedInput = { command: 7 };
  const worker = await hooked('echo mine', { PreToolUse: decides('PreToolUse', { updatedInput }) });

  await run(at, worker);

  expect(await textOf(at, worker)).toBe('mine');
});

test('what hooks say is chained behind the result, before the call first', async () => {
  const said = (event: 'PreToolUse' | 'PostToolUse', additionalContext: string) =>
    decides(event, { additionalContext });
  const worker = await hooked('echo hi', {
    PreToolUse: said('PreToolUse', 'before'),
    PostToolUse: [objects('Too short.'), said('PostToolUse', 'after')],
  });
  await run(at, worker);
  const pending = [{ type: 'tool_result', toolUse: at.calls[0]! }] as const;

  await callModel(worker.deps, at.said.attempt('2'), input(at.leaf, pending));

  expect(lastMessageOf(at, 1)).toMatchObject([
    { type: 'tool_result', content: 'hi' },
    { text: '<system-reminder>\nbefore\n</system-reminder>' },
    {
      text: '<system-reminder>\nA hook objects to this result:\nToo short.\n</system-reminder>',
    },
    { text: '<system-reminder>\nafter\n</system-reminder>' },
  ]);
});

test.each(['PreToolUse', 'PostToolUse'] as const)(
  'a %s hook that wants the end stops the query with the batch, and the call still runs',
  async (event) => {
    const stop = answers({ continue: false });
    const worker = await hooked('touch made', { [event]: stop });

    const outcome = await run(at, worker, bypass);

    expect(outcome).toEqual({ type: 'done', isError: false, hookStopped: true });
    expect(await hasFile('made')).toBe(true);
  },
);

test('what a hook gives in place of an output is what the model reads', async () => {
  const updatedToolOutput = { redacted: true };
  const worker = await hooked('echo secret', {
    PostToolUse: decides('PostToolUse', { updatedToolOutput }),
  });

  await run(at, worker);

  expect(await textOf(at, worker)).toBe('{"redacted":true}');
});

test('a failed call is told to the hooks of failures alone', async () => {
  const worker = await hooked('echo no; exit 3', {
    PostToolUse: listens('after'),
    PostToolUseFailure: [
      listens('failed'),
      decides('PostToolUseFailure', { additionalContext: 'Try harder.' }),
    ],
  });

  await run(at, worker, bypass);

  expect(await heard(at, 'after')).toEqual([]);
  expect(await heard(at, 'failed')).toMatchObject([
    { tool_name: 'Bash', error: 'Exit code 3\nno', is_interrupt: false },
  ]);
  expect(await notesOf(worker)).toContain('Try harder.');
});

test('hooks are told of the call with its mode, its folder and its id', async () => {
  const worker = await hooked('echo hi', { PreToolUse: listens('before') });

  await run(at, worker, { mode: 'acceptEdits' });

  expect(await heard(at, 'before')).toMatchObject([
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'echo hi' },
      tool_use_id: at.calls[0]!.id,
      permission_mode: 'acceptEdits',
      cwd: at.workspace,
    },
  ]);
});

describe('while the reply still streams', () => {
  const streaming = async (block: ReplyBlock, hooks: Parameters<typeof hookUp>[1]) => {
    const rest = { type: 'text', text: 'And so on.', hold: 'rest' } as const;
    const given_ = await given({ script: [{ content: [block, rest] }] });
    await hookUp(given_, hooks);
    const worker = given_.worker();
    const said = await worker.say('Do it');
    const asked = callModel(worker.deps, said.attempt(), input(null, [said.pending]));
    await given_.model.waitUntilHeld('rest');
    const finish = async (): Promise<void> => {
      given_.model.release('rest');
      const { leaf, toolUses: calls } = toReply(await asked);
      const attempt = (index = 0) => said.attempt(`tool-${index}`);
      at = { ...given_, said, leaf, calls, attempt };
    };
    return { given: given_, worker, finish };
  };

  test('hooks hear of a mutating call, which waits for its turn; they are not asked again', async () => {
    const hooks = { PreToolUse: [objects('Not that.'), listens('before')] };
    const { given: early, worker, finish } = await streaming(bash('touch made'), hooks);
    await until(async () => (await heard(early, 'before')).length === 1);
    await finish();

    await run(at, worker, bypass);

    expect(await textOf(at, worker)).toBe('Not that.');
    expect(await heard(at, 'before')).toHaveLength(1);
    expect(await hasFile('made')).toBe(false);
  });

  test('a call with input of the wrong form is known to be one, so no hook is asked', async () => {
    const wrong = { type: 'tool_use', name: 'Bash', input: {} } as const;
    const { given: early, finish } = await streaming(wrong, { PreToolUse: listens('before') });

    await finish();

    expect(await heard(early, 'before')).toEqual([]);
    expect(at.calls).toMatchObject([{ name: 'Bash', isConcurrencySafe: false, summary: '' }]);
  });
});

test('a call with input of the wrong form asks no hook', async () => {
  at = await called([{ type: 'tool_use', name: 'Bash', input: {} }]);
  await hookUp(at, { PreToolUse: listens('before') });

  await run(at, at.worker());

  expect(await heard(at, 'before')).toEqual([]);
});

test('an attempt that finds the intent asks no hook again, and keeps to what it said', async () => {
  let runs = 0;
  const tool = defineTool({
    name: 'Note',
    description: '',
    inputSchema: z.strictObject({ text: z.string() }),
    effect: 'rerun',
    summarize: () => '',
    call: async ({ text }) => {
      runs += 1;
      if (runs === 1) await new Promise(() => undefined);
      return { content: text, structured: null };
    },
  });
  const deps = { tools: [tool] };
  const content = [{ type: 'tool_use', name: 'Note', input: { text: 'mine' } }] as const;
  at = await called(content, { worker: deps });
  const updatedInput = { text: 'theirs' };
  const specific = { permissionDecision: 'allow', updatedInput, additionalContext: 'Noted.' };
  await hookUp(at, { PreToolUse: [decides('PreToolUse', specific), listens('before')] });
  const attempt = at.attempt();
  void run(at, at.worker(deps), { attempt });
  await until(() => runs === 1);

  const worker = at.worker(deps);
  await run(at, worker, { attempt: attempt.next() });

  expect(await textOf(at, worker)).toBe('theirs');
  expect(await notesOf(worker)).toContain('Noted.');
  expect(await heard(at, 'before')).toHaveLength(1);
});

test('a stop ends the hooks and the call is told as interrupted', async () => {
  const worker = await hooked('touch made', { PreToolUse: 'echo $$ > pid; sleep 600' });
  const attempt = at.attempt();
  const running = run(at, worker, { attempt, ...bypass });
  await until(() => hasFile('pid'));

  attempt.requestStop();

  expect(await running).toEqual({ type: 'interrupted' });
  expect(await hasFile('made')).toBe(false);
  expect(await resultOf(at, worker)).toMatchObject({ is_error: true });
});
