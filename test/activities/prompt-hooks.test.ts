import { callModel } from '../../src/activities/call-model/call-model';
import { keepLateAnswer } from '../../src/activities/late-answers';
import { ask, input, toReply } from './call-model/asked';
import { END_TURN, finish, resultsOf } from './finish-query/ended';
import { given, type Given, type GivenWorker } from './given';
import { answers, decides, heard, hookUp, listens, objects } from './hooked';
import { lastTextsOf, messagesOf } from './requests';

let at: Given;
afterEach(() => at.close());

const hi = { content: [{ type: 'text', text: 'Hi.' }] } as const;
const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;

const typesIn = async (worker: GivenWorker) => (await worker.log()).map(({ type }) => type);

test.each([
  ['exit code 2', objects('Not on a Sunday.'), 'Not on a Sunday.'],
  ['a decision', answers({ decision: 'block', reason: 'No.' }), 'No.'],
  ['continue: false', answers({ continue: false, stopReason: 'Enough.' }), 'Enough.'],
])(
  'a prompt that a hook refuses by %s is never sent, and people read why',
  async (_by, hook, reason) => {
    at = await given();
    await hookUp(at, { UserPromptSubmit: hook });
    const worker = at.worker();
    const said = await worker.say('Hello');

    const outcome = await ask(worker, said);

    expect(outcome).toEqual({ type: 'no_request', leaf: said.id });
    const content = `A hook refused the prompt: ${reason}`;
    expect(await worker.transcript()).toMatchObject([{ type: 'system', uuid: said.id, content }]);
    expect((await worker.log()).at(-1)).toMatchObject({ type: 'record', record: { content } });
  },
);

test('the result of a refused prompt says why, and not what was answered before', async () => {
  at = await given({ script: [hi] });
  const { leaf } = toReply(await ask(at.worker(), await at.worker().say('Hello')));
  await hookUp(at, { UserPromptSubmit: objects('No.') });
  const worker = at.worker();
  const said = await worker.say('And now?');
  const refused = await ask(worker, said, said.attempt('2'), { leaf });

  const messages = { leaf: 'leaf' in refused ? refused.leaf : '', pending: [] };
  await finish(at, worker, said.attempt('end'), { messages, terminal: END_TURN });

  expect(await resultsOf(worker)).toMatchObject([{ result: 'A hook refused the prompt: No.' }]);
});

test('a refusal is adopted by the next attempt, and the hook is not asked again', async () => {
  at = await given();
  await hookUp(at, { UserPromptSubmit: [objects('No.'), listens('heard')] });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const first = await ask(worker, said, attempt);

  const second = await ask(at.worker(), said, attempt.next());

  expect(second).toEqual(first);
  expect(await heard(at, 'heard')).toHaveLength(1);
});

test('the model never reads a prompt that was refused', async () => {
  at = await given({ script: [hi] });
  await hookUp(at, { UserPromptSubmit: objects('No.') });
  const before = at.worker();
  const refused = await before.say('Secret');
  await ask(before, refused);
  await hookUp(at, {});
  const worker = at.worker();
  const said = await worker.say('Hello');

  await ask(worker, said, said.attempt('2'), { leaf: refused.id });

  expect(JSON.stringify(messagesOf(at, 0))).not.toMatch(/Secret|refused/);
  expect(lastTextsOf(at, 0)).toEqual(['Hello']);
});

test('what hooks print stands around the prompt, the start of the session first', async () => {
  at = await given({ script: [hi] });
  await hookUp(at, {
    SessionStart: 'cat > /dev/null; echo It is Monday.',
    UserPromptSubmit: decides('UserPromptSubmit', { additionalContext: 'The user is Ann.' }),
  });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello', { opensSession: 'startup' }));

  expect(lastTextsOf(at, 0)).toEqual([
    reminder('It is Monday.'),
    'Hello',
    reminder('The user is Ann.'),
  ]);
});

test('hooks are told of the prompt and of how the session began; of the start once', async () => {
  at = await given({ script: [hi, hi] });
  await hookUp(at, { SessionStart: listens('starts'), UserPromptSubmit: listens('prompts') });
  const worker = at.worker();
  const first = await worker.say('1?', { opensSession: 'resume', permissionMode: 'plan' });
  const { leaf } = toReply(await ask(worker, first));
  const second = await worker.say('2?');

  await ask(worker, second, second.attempt('2'), { leaf });

  expect(await heard(at, 'starts')).toMatchObject([{ source: 'resume', session_id: at.sessionId }]);
  expect(await heard(at, 'prompts')).toMatchObject([
    { hook_event_name: 'UserPromptSubmit', prompt: '1?', permission_mode: 'plan' },
    { prompt: '2?', permission_mode: 'default', cwd: at.workspace },
  ]);
});

test('observers hear of the query, then of its hooks, then of the prompt', async () => {
  at = await given({ script: [hi] });
  await hookUp(at, { UserPromptSubmit: 'cat > /dev/null; exit 1' });
  const worker = at.worker();

  await ask(worker, await worker.say('Hello'));

  expect((await typesIn(worker)).slice(0, 5)).toEqual([
    ...['query_started', 'hook_started', 'hook_ended', 'notice', 'record'],
  ]);
});

test('what was written in mid-run is no prompt for hooks', async () => {
  at = await given({ script: [hi] });
  await hookUp(at, { UserPromptSubmit: objects('No.') });
  const worker = at.worker();
  const said = await worker.say('Wait');
  const steering = { ...said.pending, steering: true } as const;

  const outcome = await callModel(worker.deps, said.attempt(), input(null, [steering]));

  expect(outcome.type).toBe('reply');
});

test('what a hook in the background says is told with the next prompt, once', async () => {
  at = await given({ script: [hi, hi, hi] });
  const worker = at.worker();
  const { leaf } = toReply(await ask(worker, await worker.say('One')));
  keepLateAnswer(await worker.session(), { systemMessage: 'LATE', context: null });
  const second = await worker.say('Two');
  const next = toReply(await ask(worker, second, second.attempt('2'), { leaf }));
  const third = await worker.say('Three');

  await ask(worker, third, third.attempt('3'), { leaf: next.leaf });

  expect(lastTextsOf(at, 1)).toContain(reminder('LATE'));
  expect(JSON.stringify(messagesOf(at, 2)).match(/LATE/g)).toHaveLength(1);
});

test('a sub-agent begins with what hooks say to it', async () => {
  at = await given({ script: [hi] });
  await hookUp(at, {
    SubagentStart: decides('SubagentStart', { additionalContext: 'AGENT-HOOK' }),
  });
  const worker = at.worker();
  const subAgent = { type: 'critic', description: 'x', toolUseId: 'toolu_1' };

  await ask(worker, await worker.say('The task', { subAgent }));

  expect(JSON.stringify(messagesOf(at, 0))).toMatch(/AGENT-HOOK.*The task/);
});
