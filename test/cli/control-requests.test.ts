import { print } from '../../src/cli/print';
import { parseCommand } from '../../src/cli/parse-command';
import type { PrintCommand } from '../../src/cli/command';
import {
  answers,
  FakeSession,
  interrupted,
  queryEnded,
  queryStarted,
} from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json'];

function start(session: FakeSession, args: readonly string[] = []) {
  const world = new FakeSurroundings();
  const exit = print(parseCommand([...STREAM, ...args], '1.2.3') as PrintCommand, {
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

test('initialize is answered before any prompt, with the lists that the SDK reads', async () => {
  const { world, answer } = start(new FakeSession());

  world.control('r1', { subtype: 'initialize', systemPrompt: [''] });

  expect(await answer('r1')).toMatchObject({
    subtype: 'success',
    response: {
      commands: [],
      agents: [],
      models: [{ value: 'default' }],
      account: { apiKeySource: 'ANTHROPIC_API_KEY' },
      current_permission_mode: 'default',
    },
    pending_permission_requests: [],
  });
  world.stdin.end();
});

test('the system prompt of initialize goes with the next messages; an empty one is no prompt at all', async () => {
  const session = new FakeSession(answers(() => 'ok'));
  const { world, exit } = start(session);

  world.control('r1', { subtype: 'initialize', systemPrompt: [''], appendSystemPrompt: 'more' });
  world.sayPrompt('hi');
  world.stdin.end();
  await exit;

  expect(session.messages[0]?.options).toMatchObject({
    systemPrompt: '',
    appendSystemPrompt: 'more',
  });
});

test('set_model holds for messages sent after it, and null takes it back', async () => {
  const session = new FakeSession(answers(() => 'ok'));
  const { world, exit, answer } = start(session);

  world.sayPrompt('one');
  world.control('m1', { subtype: 'set_model', model: 'haiku' });
  world.sayPrompt('two');
  world.control('m2', { subtype: 'set_model', model: null });
  world.sayPrompt('three');
  world.stdin.end();
  await exit;

  expect(session.messages.map(({ options }) => options.model)).toEqual([
    'claude-sonnet-4-5',
    'claude-haiku-5-5',
    'claude-sonnet-4-5',
  ]);
  expect(await answer('m1')).toMatchObject({ response: { model: 'claude-haiku-5-5' } });
});

test('set_permission_mode is answered, then reported', async () => {
  const { world, exit } = start(new FakeSession());

  world.control('p1', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
  await world.stdout.message(({ subtype }) => subtype === 'status');
  world.stdin.end();
  await exit;

  expect(world.stdout.lines).toMatchObject([
    { type: 'control_response', response: { response: { mode: 'acceptEdits' } } },
    { type: 'system', subtype: 'status', status: null, permissionMode: 'acceptEdits' },
  ]);
});

test.each([
  ['an unknown mode', 'sometimes', [], 'invalid_mode'],
  ['bypass that was not allowed at launch', 'bypassPermissions', [], 'bypass_not_launched'],
])('%s → error', async (_, mode, args, code) => {
  const { world, answer } = start(new FakeSession(), args);

  world.control('p1', { subtype: 'set_permission_mode', mode });

  expect(await answer('p1')).toMatchObject({ subtype: 'error', error_code: code });
  world.stdin.end();
});

test('bypass that was allowed at launch is granted', async () => {
  const { world, answer } = start(new FakeSession(), ['--allow-dangerously-skip-permissions']);

  world.control('p1', { subtype: 'set_permission_mode', mode: 'bypassPermissions' });

  expect(await answer('p1')).toMatchObject({ subtype: 'success' });
  world.stdin.end();
});

test('interrupt stops the running query and names the prompts that still wait', async () => {
  const session = new FakeSession(
    (message, self) => message.content === 'first' && self.play(queryStarted(message)),
    (self) => self.play(queryEnded(self.messages[0]!.id, interrupted)),
  );
  const { world, exit, answer } = start(session);

  world.sayPrompt('first');
  world.sayPrompt('second');
  await world.stdout.message(({ subtype }) => subtype === 'init');
  world.control('i1', { subtype: 'interrupt' });
  const answered = await answer('i1');
  const second = session.messages[1]!;
  session.play(queryStarted(second), queryEnded(second.id, { result: 'fine' }));
  world.stdin.end();

  expect(answered).toMatchObject({ subtype: 'success', response: { still_queued: [second.id] } });
  expect(await exit).toBe(0);
});

test('interrupt with nothing to stop is a success', async () => {
  const session = new FakeSession();
  const { world, answer } = start(session);

  world.control('i1', { subtype: 'interrupt' });

  expect(await answer('i1')).toMatchObject({ subtype: 'success', response: { still_queued: [] } });
  expect(session.calls).not.toContain('interrupt');
  world.stdin.end();
});

test('an unknown request is answered with unsupported_request', async () => {
  const { world, answer } = start(new FakeSession());

  world.control('x1', { subtype: 'make_coffee' });

  expect(await answer('x1')).toMatchObject({
    subtype: 'error',
    error_code: 'unsupported_request',
  });
  world.stdin.end();
});

test('keep_alive, unknown types, blank lines and answers nobody asked for are ignored', async () => {
  const { world, exit } = start(new FakeSession());

  world.say({ type: 'keep_alive' });
  world.say({ type: 'something_new' });
  world.say({ type: 'control_response', response: { request_id: 'never' } });
  world.stdin.end('\n');

  expect(await exit).toBe(0);
  expect(world.stdout.text).toBe('');
});
