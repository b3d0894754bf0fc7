import type { StopHooksInput } from '../../../src/activities/interface';
import { runStopHooks } from '../../../src/activities/stop-hooks/run-stop-hooks';
import type { StopVerdict } from '../../../src/loop/stop-hooks';
import type { Reply } from '../../../src/scripted-model/reply';
import { until } from '../../tools/shell/until';
import { ask, toReply } from '../call-model/asked';
import { contentOf } from '../contents';
import type { FakeAttempt } from '../fake-attempt';
import { given, type Given, type GivenWorker, type Said } from '../given';
import { answers, heard, hookUp, listens, objects } from '../hooked';
import { lastTextsOf } from '../requests';

let at: Given;
let said: Said;
let leaf: string;
afterEach(() => at.close());

const hi: Reply = { content: [{ type: 'text', text: 'Done.' }] };

/** A reply that ends a query whose folder has these hooks, and a Worker to run them. */
async function answered(
  hooks: Parameters<typeof hookUp>[1],
  script: readonly Reply[] = [hi],
): Promise<GivenWorker> {
  at = await given({ script });
  await hookUp(at, hooks);
  const worker = at.worker({ maxRetries: 0 });
  said = await worker.say('Do it');
  const reply = toReply(await ask(worker, said));
  expect(reply.hasStopHooks).toBe(true);
  leaf = reply.leaf;
  return worker;
}

function end(
  worker: GivenWorker,
  more: Partial<StopHooksInput> = {},
  attempt: FakeAttempt = said.attempt('stop'),
): Promise<StopVerdict> {
  return runStopHooks(worker.deps, attempt, {
    event: 'stop',
    leaf,
    stopHookActive: false,
    mayBlock: true,
    mode: 'plan',
    workingDirectory: at.workspace,
    ...more,
  });
}

test('Stop hooks are told of the last message and whether they blocked before', async () => {
  const worker = await answered({ Stop: listens('stops') });

  const verdict = await end(worker, { stopHookActive: true });

  expect(verdict).toEqual({ type: 'passed' });
  expect(await heard(at, 'stops')).toMatchObject([
    {
      hook_event_name: 'Stop',
      stop_hook_active: true,
      last_assistant_message: 'Done.',
      permission_mode: 'plan',
      cwd: at.workspace,
    },
  ]);
});

test.each([
  ['exit code 2', objects('Run the tests.')],
  ['a decision', answers({ decision: 'block', reason: 'Run the tests.' })],
])('what a Stop hook objects by %s is chained as a hidden message, and told', async (_by, hook) => {
  const worker = await answered({ Stop: hook });

  const verdict = await end(worker);

  const feedback = (await worker.transcript()).at(-1);
  expect(verdict).toEqual({ type: 'blocked', leaf: feedback?.uuid });
  expect(feedback).toMatchObject({
    type: 'user',
    isMeta: true,
    parentUuid: leaf,
    message: { content: 'Stop hook feedback:\nRun the tests.' },
  });
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'record', record: feedback });
});

test('the model reads the feedback of all hooks as one message', async () => {
  const worker = await answered({ Stop: [objects('One.'), objects('Two.')] }, [hi, hi]);
  const verdict = await end(worker);
  const behind = 'leaf' in verdict ? verdict.leaf : '';

  await ask(
    worker,
    { ...said, pending: { type: 'nudge', nudge: 'output_limit' } },
    said.attempt('2'),
    {
      leaf: behind,
    },
  );

  expect(lastTextsOf(at, -1)[0]).toBe('Stop hook feedback:\nOne.\n\nStop hook feedback:\nTwo.');
});

test('feedback that was not reported is adopted, and no hook is asked again', async () => {
  const worker = await answered({ Stop: [objects('No.'), listens('stops')] });
  const attempt = said.attempt('stop');
  const first = await end(worker, {}, attempt);

  const second = await end(at.worker(), {}, attempt.next());

  expect(second).toEqual(first);
  expect(await heard(at, 'stops')).toHaveLength(1);
});

test('a hook that blocked too often is overridden, and people are warned', async () => {
  const worker = await answered({ Stop: objects('Again.') });
  const before = await worker.transcript();

  const verdict = await end(worker, { mayBlock: false });

  expect(verdict).toEqual({ type: 'passed' });
  expect(await worker.transcript()).toEqual(before);
  expect((await worker.log()).at(-1)).toMatchObject({
    type: 'notice',
    level: 'warning',
    text: expect.stringContaining('overridden') as string,
  });
});

test('a hook that wants the end gets it, whatever others object', async () => {
  const worker = await answered({ Stop: [objects('No.'), answers({ continue: false })] });

  expect(await end(worker)).toEqual({ type: 'prevented', leaf });
});

test('a Stop hook that fails keeps nobody from ending', async () => {
  const worker = await answered({ Stop: 'echo broken >&2; exit 1' });

  const verdict = await end(worker);

  expect(verdict).toEqual({ type: 'passed' });
  expect((await worker.log()).slice(-3)).toMatchObject([
    { type: 'hook_started', hook: { event: 'Stop', name: 'Stop' } },
    { type: 'hook_ended', ended: { outcome: 'error', exitCode: 1, stderr: 'broken\n' } },
    { type: 'notice', level: 'warning' },
  ]);
});

test('a query that ends with an error is told to hooks of failures alone, who change nothing', async () => {
  const failed: Reply = { error: { type: 'api_error' } };
  const hooks = { Stop: listens('stops'), StopFailure: [listens('failures'), objects('No.')] };
  const worker = await answered(hooks, [failed]);

  const verdict = await end(worker, { event: 'stop_failure' });

  expect(verdict).toEqual({ type: 'passed' });
  expect(await heard(at, 'stops')).toEqual([]);
  expect(await heard(at, 'failures')).toMatchObject([
    {
      error: 'server_error',
      last_assistant_message: expect.stringContaining('API error (500)') as string,
    },
  ]);
});

test('a stop ends the hooks, and nothing is chained', async () => {
  const worker = await answered({ Stop: `cat > running; sleep 600` });
  const attempt = said.attempt('stop');
  const ending = end(worker, {}, attempt);
  await until(async () => (await heard(at, 'running')).length > 0);

  attempt.requestStop();

  expect(await ending).toEqual({ type: 'passed' });
  expect((await worker.transcript()).map(contentOf)).toEqual(['Do it', hi.content]);
});
