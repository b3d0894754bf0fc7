import { readFileSync } from 'node:fs';
import type { PrintCommand } from '../../src/cli/command';
import { SessionRequests } from '../../src/cli/input/session-requests';
import { parseCommand } from '../../src/cli/parse-command';
import { print } from '../../src/cli/print';
import { editTool } from '../../src/tools/edit';
import { writeTool } from '../../src/tools/write';
import { KeptSession } from '../rewind/kept-session';
import {
  answers,
  assistantRecord,
  FakeSession,
  queryEnded,
  queryStarted,
  textBlock,
} from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';
import * as build from '../transcript/builders';

const MODEL = { model: 'claude-sonnet-4-5' };

describe('rewind_files', () => {
  let session: KeptSession;
  beforeEach(async () => {
    session = await KeptSession.open();
  });
  afterEach(() => session.close());

  function requests({ keepsFiles = true, isRunning = false } = {}): SessionRequests {
    const { store } = session;
    return new SessionRequests({
      keepsFiles,
      open: async () => ({ store, isRunning, withdraw: async () => false }),
    });
  }

  /** Two prompts: before the first there is nothing, the second changes what the first has made. */
  async function twoPrompts(): Promise<readonly [string, string]> {
    const first = build.user(null, 'first');
    const second = build.user(first.uuid, 'second');
    await session.store.append(session.lease, 'key', [first, second]);
    const file = { file_path: session.path('a.txt') };
    await session.look(first.uuid);
    await session.call(writeTool, { ...file, content: 'one\ntwo\n' });
    await session.look(second.uuid);
    await session.call(editTool, { ...file, old_string: 'two', new_string: 'three' });
    return [first.uuid, second.uuid];
  }

  const rewind = (of: SessionRequests, id: string, more: object = {}) =>
    of.answer('rewind_files', { user_message_id: id, ...more }, MODEL);

  test('gives files back as they were before the message, and tells which', async () => {
    const [first, second] = await twoPrompts();

    const answer = await rewind(requests(), second);
    const again = await rewind(requests(), first);

    expect(answer).toEqual({
      type: 'success',
      response: {
        canRewind: true,
        filesChanged: [session.path('a.txt')],
        insertions: 1,
        deletions: 1,
      },
    });
    expect(again).toMatchObject({ response: { canRewind: true, insertions: 0, deletions: 2 } });
    expect(session.tree()).toEqual({});
  });

  test('a dry run only tells', async () => {
    const [, second] = await twoPrompts();

    const answer = await rewind(requests(), second, { dry_run: true });

    expect(answer).toMatchObject({
      response: { canRewind: true, filesChanged: [session.path('a.txt')] },
    });
    expect(readFileSync(session.path('a.txt'), 'utf8')).toBe('one\nthree\n');
  });

  test('without the option of the client it is an error', async () => {
    expect(await rewind(requests({ keepsFiles: false }), 'any')).toMatchObject({
      type: 'error',
      code: 'file_checkpointing_disabled',
    });
  });

  test.each([
    ['an unknown message', 'nowhere', {}, 'no message with uuid nowhere'],
    ['a session at work', 'any', { isRunning: true }, 'at work'],
  ])('%s cannot be rewound to', async (_, id, host, reason) => {
    expect(await rewind(requests(host), id)).toMatchObject({
      response: { canRewind: false, error: expect.stringContaining(reason) as string },
    });
  });

  test('get_context_usage tells what the last reply has counted', async () => {
    const reply = assistantRecord('m', textBlock('hi'));
    const usage = { ...reply.message.usage, input_tokens: 1_500, output_tokens: 500 };
    const counted = { ...reply, message: { ...reply.message, usage } };
    await session.store.append(session.lease, 'key', [counted]);

    const answer = await requests().answer('get_context_usage', {}, MODEL);

    expect(answer).toMatchObject({
      response: { totalTokens: 2_000, maxTokens: 200_000, percentage: 1, ...MODEL },
    });
  });
});

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json'];

function start(session: FakeSession) {
  const world = new FakeSurroundings();
  const exit = print(parseCommand(STREAM, '1.2.3') as PrintCommand, {
    ...world.of(),
    openSession: async () => session,
    run: RUN_OPTIONS,
  });
  const answer = async (requestId: string) => {
    const message = await world.stdout.message(
      ({ response }) => (response as { request_id?: string } | undefined)?.request_id === requestId,
    );
    return message['response'];
  };
  return { world, exit, answer };
}

test('a message that waits is taken back, and nobody waits for its answer', async () => {
  const session = new FakeSession(
    (message, self) => message.content === 'first' && self.play(queryStarted(message)),
  );
  const { world, exit, answer } = start(session);
  const uuid = '11111111-2222-4333-8444-555555555555';

  world.sayPrompt('first');
  world.sayPrompt('second', { uuid });
  await world.stdout.message(({ subtype }) => subtype === 'init');
  world.control('c1', { subtype: 'cancel_async_message', message_uuid: uuid });
  world.control('c2', { subtype: 'cancel_async_message', message_uuid: session.messages[0]?.id });
  const cancelled = await answer('c1');
  const running = await answer('c2');
  session.play(queryEnded(session.messages[0]!.id, { result: 'done' }));
  world.stdin.end();

  expect(cancelled).toMatchObject({ response: { cancelled: true } });
  expect(running).toMatchObject({ response: { cancelled: false } });
  expect(await exit).toBe(0);
  expect(session.calls.filter((each) => each.startsWith('withdraw'))).toEqual([`withdraw ${uuid}`]);
});

test('settings that a client applies hold for messages sent after it', async () => {
  const session = new FakeSession(answers(() => 'ok'));
  const { world, exit, answer } = start(session);
  const settings = {
    model: 'haiku',
    permissions: { allow: ['Read'], deny: ['Bash(rm:*)'], defaultMode: 'plan' },
  };

  world.control('s0', { subtype: 'apply_flag_settings', settings: {} });
  world.control('s1', { subtype: 'apply_flag_settings', settings });
  world.sayPrompt('one');
  world.stdin.end();
  await exit;

  expect([await answer('s0'), await answer('s1')]).toMatchObject([
    { subtype: 'success' },
    { subtype: 'success' },
  ]);
  expect(session.messages[0]?.options).toMatchObject({
    model: 'claude-haiku-5-5',
    permissionMode: 'plan',
    allowedTools: ['Read'],
    disallowedTools: ['Bash(rm:*)'],
  });
});

test.each([
  [{ hooks: {} }, 'hooks'],
  [{ permissions: { additionalDirectories: [] } }, 'additionalDirectories'],
  [{ permissions: { defaultMode: 'sometimes' } }, 'defaultMode'],
  [{ permissions: { allow: 'Read' } }, 'lists of rules'],
  [{ permissions: { defaultMode: 'bypassPermissions' } }, 'not allowed at launch'],
])('settings %j cannot be applied, and the answer says which', async (settings, reason) => {
  const { world, answer } = start(new FakeSession());

  world.control('s1', { subtype: 'apply_flag_settings', settings });

  expect(await answer('s1')).toMatchObject({
    subtype: 'error',
    error: expect.stringContaining(reason) as string,
  });
  world.stdin.end();
});

test('initialize names the questions that wait for the client', async () => {
  const session = new FakeSession();
  const call = { id: 'toolu_1', recordId: 'record' };
  const { world, answer } = start(session);
  session.play({
    type: 'permission_requested',
    queryId: 'query',
    question: {
      call,
      toolName: 'Bash',
      input: { command: 'ls' },
      reason: 'asks',
      reasonType: 'mode',
      suggestedRules: [],
      blockedPath: null,
    },
  });

  world.say({ type: 'keep_alive' });
  world.control('r0', { subtype: 'set_model', model: null });
  const asked = await world.stdout.message(({ type }) => type === 'control_request');
  world.control('r1', { subtype: 'initialize' });

  expect(await answer('r1')).toMatchObject({ pending_permission_requests: [asked] });
  world.stdin.end();
});
