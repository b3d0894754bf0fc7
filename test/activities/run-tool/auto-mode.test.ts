import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { AgentHooks } from '../../../src/agent/agent-hooks';
import type { CallToJudge } from '../../../src/permissions/classifier';
import type { Reply } from '../../../src/scripted-model/reply';
import { NO_GRANTS } from '../../../src/transcript/permission';
import { decides, hookUp } from '../hooked';
import { messagesOf } from '../requests';
import { bash, call, called, run, textOf, type Called } from './called';

let at: Called;
afterEach(() => at.close());

const auto = { mode: 'auto' } as const;
const says = (text: string): Reply => ({ content: [{ type: 'text', text }] });
const no = says('DENY: It is not asked for.');
const touches = (count: number) => Array.from({ length: count }, (_, n) => bash(`touch made-${n}`));
const isMade = (n: number): boolean => existsSync(path.join(at.workspace, `made-${n}`));
const ALLOWED = { type: 'done', isError: false };
const DENIED = { type: 'done', isError: true, denied: true };

test('what no rule decides a small model judges, from what people said and not from what tools said', async () => {
  at = await called(touches(1), { replies: [says('ALLOW')] });

  const outcome = await run(at, at.worker(), auto);

  expect(outcome).toEqual(ALLOWED);
  expect(isMade(0)).toBe(true);
  expect(at.model.requests.at(-1)?.body).toMatchObject({ model: 'claude-haiku-4-5' });
  const question = JSON.stringify(messagesOf(at, -1));
  expect(question).toContain('<person>Do it</person>');
  expect(question).toContain('touch made-0');
});

test('its no is a result that the model reads, and a denial for the record', async () => {
  at = await called(touches(1), { replies: [no] });
  const worker = at.worker();

  const outcome = await run(at, worker, auto);

  expect(outcome).toEqual(DENIED);
  expect(await textOf(at, worker)).toContain(
    'auto did not allow this call of Bash: It is not asked',
  );
  expect(isMade(0)).toBe(false);
});

test('a sub-agent is judged by what the person asked for; its task is the word of a model', async () => {
  const askedFor = randomUUID();
  const subAgent = { type: 'general-purpose', description: 'x', toolUseId: 'toolu_1', askedFor };
  at = await called(touches(1), { subAgent, replies: [no] });
  const worker = at.worker();
  const { store } = await worker.session();
  const task = await store.findMessage(at.said.id);
  await store.putMessage({ ...task!, id: askedFor, content: 'Only look around' });

  await run(at, worker, auto);

  const question = JSON.stringify(messagesOf(at, -1));
  expect(question).toContain('<person>Only look around</person>');
  expect(question).toContain('<task_from_another_agent>Do it</task_from_another_agent>');
});

test('reading and editing in the working folder asks nobody', async () => {
  const content = [bash('ls'), call('Write', { file_path: 'a.txt', content: 'x' })];
  at = await called(content);

  const outcomes = [
    await run(at, at.worker(), auto),
    await run(at, at.worker(), { ...auto, index: 1 }),
  ];

  expect(outcomes).toEqual([ALLOWED, ALLOWED]);
});

test.each<[string, Reply]>([
  ['an answer that is neither yes nor no', says('It depends.')],
  [
    'a judge that cannot be reached',
    { error: { status: 500, type: 'api_error', message: 'down' } },
  ],
])('%s leaves the question to people', async (_what, reply) => {
  at = await called(touches(1), { asks: 'host', replies: [reply] });

  expect(await run(at, at.worker(), auto)).toMatchObject({ type: 'ask' });
});

test('a hook that asks puts the question to people, not to the judge', async () => {
  at = await called(touches(1), { asks: 'host' });
  await hookUp(at, { PreToolUse: decides('PreToolUse', { permissionDecision: 'ask' }) });

  expect(await run(at, at.worker(), auto)).toMatchObject({ type: 'ask' });
});

test('a protected file is judged even if a rule allows it', async () => {
  const write = call('Write', { file_path: '.git/hooks/pre-commit', content: 'x' });
  at = await called([write], { replies: [no], allowedTools: ['Write', 'Edit'] });
  await mkdir(path.join(at.workspace, '.git'));

  expect(await run(at, at.worker(), auto)).toEqual(DENIED);
});

describe('after three denials in a row', () => {
  test('people decide, and a yes of theirs brings the judge back', async () => {
    at = await called(touches(5), { asks: 'host', replies: [no, no, no, says('ALLOW')] });
    const worker = at.worker();
    for (const index of [0, 1, 2]) {
      expect(await run(at, worker, { ...auto, index })).toEqual(DENIED);
    }

    // Another Worker knows it as well.
    const asked = await run(at, at.worker(), { ...auto, index: 3 });
    const { store } = await worker.session();
    await store.putAnswer(at.calls[3]!, { behavior: 'allow', by: 'host', grants: NO_GRANTS });
    const answered = await run(at, at.worker(), { ...auto, index: 3, isAnswered: true });
    const judged = await run(at, at.worker(), { ...auto, index: 4 });

    expect(asked).toMatchObject({ type: 'ask' });
    expect([answered, judged]).toEqual([ALLOWED, ALLOWED]);
  });

  test('the query ends where nobody can be asked', async () => {
    at = await called(touches(3), { replies: [no, no, no] });
    const worker = at.worker();
    await run(at, worker, auto);
    await run(at, worker, { ...auto, index: 1 });

    expect(await run(at, worker, { ...auto, index: 2 })).toEqual({ ...DENIED, interrupts: true });
  });
});

describe("a program's own judge", () => {
  const judging = (judgeToolCall: NonNullable<AgentHooks['judgeToolCall']>) => ({
    ownCode: { of: async () => ({ tools: [], agents: [], hooks: { judgeToolCall } }) },
  });

  test('is asked instead of the small model', async () => {
    const heard: CallToJudge[] = [];
    at = await called(touches(1));
    const worker = at.worker(
      judging((asked) => {
        heard.push(asked);
        return { behavior: 'deny', reason: 'Not on Sundays.' };
      }),
    );

    expect(await run(at, worker, auto)).toEqual(DENIED);
    expect(await textOf(at, worker)).toContain('Not on Sundays.');
    expect(heard).toMatchObject([
      { toolName: 'Bash', input: { command: 'touch made-0' }, saidByPeople: ['Do it'] },
    ]);
  });

  test('may leave it to the small model, or to people', async () => {
    at = await called(touches(2), { asks: 'host', replies: [says('ALLOW')] });

    const bySmallModel = await run(at, at.worker(judging(() => undefined)), auto);
    const byPeople = await run(at, at.worker(judging(() => ({ behavior: 'ask' }))), {
      ...auto,
      index: 1,
    });

    expect([bySmallModel, byPeople]).toMatchObject([ALLOWED, { type: 'ask' }]);
  });

  test('is not heard in other modes', async () => {
    at = await called(touches(1), { asks: 'host' });
    const worker = at.worker(judging(() => ({ behavior: 'allow' })));

    expect(await run(at, worker)).toMatchObject({ type: 'ask' });
  });
});
