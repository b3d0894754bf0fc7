import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PermissionAnswer } from '../../../src/transcript/permission';
import { NO_GRANTS } from '../../../src/transcript/permission';
import { answers, heard, hookUp, listens } from '../hooked';
import type { GivenWorker } from '../given';
import { bash, call, called, recorded, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const inWorkspace = (name: string): string => path.join(at.workspace, name);
const asking = { asks: 'host' } as const;
const allow = (more: object = {}): PermissionAnswer => ({ behavior: 'allow', by: 'host', ...more });
const touch = bash('touch made');

/** The call is asked about, answered, and scheduled again. */
async function answered(worker: GivenWorker, answer: PermissionAnswer, index = 0) {
  const { store } = await worker.session();
  expect(await run(at, worker, { index })).toMatchObject({ type: 'ask' });
  await store.putAnswer(at.calls[index]!, answer);
  return run(at, worker, { index, isAnswered: true });
}

test('what rules leave open is asked, with the rules that would allow it, and does not happen yet', async () => {
  at = await called([touch], asking);
  const worker = at.worker();

  const outcome = await run(at, worker);

  expect(outcome).toMatchObject({ type: 'ask' });
  const [question] = (await worker.log()).filter(({ type }) => type === 'permission_requested');
  expect(question).toMatchObject({
    question: {
      call: { id: at.calls[0]!.id },
      toolName: 'Bash',
      input: { command: 'touch made' },
      suggestedRules: ['Bash(touch:*)'],
    },
  });
  expect(existsSync(inWorkspace('made'))).toBe(false);
});

test('hooks hear that somebody is waited for', async () => {
  at = await called([touch], asking);
  await hookUp(at, { Notification: listens('heard') });

  await run(at, at.worker());

  expect(await heard(at, 'heard')).toMatchObject([
    { notification_type: 'permission_prompt', message: expect.stringContaining('Bash') as string },
  ]);
});

test('a yes runs the call, and the Worker that asked need not be the one that hears it', async () => {
  at = await called([touch], asking);
  const first = at.worker();
  await run(at, first);
  const { store } = await first.session();
  await store.putAnswer(at.calls[0]!, allow());

  const outcome = await run(at, at.worker(), { isAnswered: true });

  expect(outcome).toEqual({ type: 'done', isError: false });
  expect(existsSync(inWorkspace('made'))).toBe(true);
});

test('a no is a result that the model reads; the first answer counts', async () => {
  at = await called([touch], asking);
  const worker = at.worker();
  const { store } = await worker.session();
  await run(at, worker);
  await store.putAnswer(at.calls[0]!, { behavior: 'deny', message: 'Not now.', by: 'host' });
  await store.putAnswer(at.calls[0]!, allow());

  const outcome = await run(at, worker, { isAnswered: true });

  expect(outcome).toEqual({ type: 'done', isError: true, denied: true });
  expect(await textOf(at, worker)).toBe('Not now.');
});

test('a no to everything says so with the result', async () => {
  at = await called([touch], asking);
  const no = { behavior: 'deny', message: 'Stop.', interrupt: true, by: 'host' } as const;

  expect(await answered(at.worker(), no)).toMatchObject({ denied: true, interrupts: true });
});

test('an answer may change what runs; the history keeps what the model wrote', async () => {
  at = await called([touch], asking);
  const worker = at.worker();

  await answered(worker, allow({ updatedInput: { command: 'touch other' } }));

  expect([existsSync(inWorkspace('made')), existsSync(inWorkspace('other'))]).toEqual([
    false,
    true,
  ]);
  expect(JSON.stringify(await worker.transcript())).toContain('touch made');
});

test('what was granted for the session is not asked again, by the next Worker neither', async () => {
  at = await called([touch, bash('touch other'), bash('touch third')], asking);
  const worker = at.worker();
  await answered(worker, allow({ grants: { ...NO_GRANTS, allow: ['Bash(touch:*)'] } }));

  const same = await run(at, worker, { index: 1 });
  const next = await run(at, at.worker(), { index: 2 });

  expect([same, next]).toEqual(Array(2).fill({ type: 'done', isError: false }));
});

describe('a file outside the working folders', () => {
  const outside = (): string => path.join(at.workspace, '../outside');
  const reads = call('Read', { file_path: '../outside/a.txt' });
  beforeEach(async () => {
    at = await called([reads, reads], asking);
    await mkdir(outside());
    await writeFile(path.join(outside(), 'a.txt'), 'from afar');
  });

  test('is read once somebody allows it, and asked for again the next time', async () => {
    const worker = at.worker();

    await answered(worker, allow());

    expect(await textOf(at, worker)).toContain('from afar');
    expect(await run(at, worker, { index: 1 })).toMatchObject({ type: 'ask' });
  });

  test('belongs to the session once its folder was granted', async () => {
    const worker = at.worker();
    await answered(worker, allow({ grants: { ...NO_GRANTS, directories: ['../outside'] } }));

    await run(at, at.worker(), { index: 1 });

    expect(await textOf(at, worker, 1)).toContain('from afar');
  });

  test('is read where a rule allows it', async () => {
    const elsewhere = outside();
    const before = at;
    const options = { allowedTools: [`Read(/${elsewhere}/**)`] };
    at = await called([call('Read', { file_path: path.join(elsewhere, 'a.txt') })], options);
    const worker = at.worker();

    await run(at, worker);
    await before.close();

    expect(await textOf(at, worker)).toContain('from afar');
  });
});

describe('a PermissionRequest hook', () => {
  test.each([
    ['allow', { behavior: 'allow' }, { type: 'done', isError: false }],
    ['deny', { behavior: 'deny', message: 'No.' }, { type: 'done', isError: true, denied: true }],
  ])('may %s in the place of a person: nobody is asked', async (_answer, decision, expected) => {
    const hookSpecificOutput = { hookEventName: 'PermissionRequest', decision };
    const hooks = { PermissionRequest: answers({ hookSpecificOutput }) };
    at = await called([touch], { ...asking, hooks });
    const worker = at.worker();

    expect(await run(at, worker)).toEqual(expected);
    expect((await worker.log()).some(({ type }) => type === 'permission_requested')).toBe(false);
  });

  test('without an opinion leaves the question to the person; after the answer no hook is asked again', async () => {
    at = await called([touch], asking);
    await hookUp(at, { PermissionRequest: listens('asked'), PreToolUse: listens('before') });

    await answered(at.worker(), allow());

    expect(await heard(at, 'asked')).toMatchObject([{ tool_name: 'Bash' }]);
    expect(await heard(at, 'before')).toHaveLength(1);
  });
});

test('a call that is scheduled as answered without an answer is denied', async () => {
  at = await called([touch], asking);
  const worker = at.worker();

  await run(at, worker, { isAnswered: true });

  expect(await recorded(at, worker)).toMatchObject({ denied: true });
  expect(await readFile(inWorkspace('made'), 'utf8').catch(() => null)).toBeNull();
});
