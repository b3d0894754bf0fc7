import { parseCommand } from '../../src/cli/parse-command';
import type { PrintCommand } from '../../src/cli/command';
import { print } from '../../src/cli/print';
import type { PermissionQuestion } from '../../src/transcript/permission';
import { FakeSession, queryEnded, queryStarted } from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json'];

function start(session: FakeSession, args: readonly string[] = []) {
  const world = new FakeSurroundings();
  const exit = print(parseCommand([...STREAM, ...args], '1.2.3') as PrintCommand, {
    ...world.of(),
    openSession: async () => session,
    run: RUN_OPTIONS,
  });
  const asked = () => world.stdout.message(({ type }) => type === 'control_request');
  const say = (request: Record<string, unknown>, response: object): void =>
    world.say({
      type: 'control_response',
      response: { subtype: 'success', request_id: request['request_id'], response },
    });
  return { world, exit, asked, say };
}

const question: PermissionQuestion = {
  call: { id: 'toolu_1', recordId: 'record-1' },
  toolName: 'Bash',
  input: { command: 'make' },
  reason: 'Bash needs a permission.',
  reasonType: 'no_rule',
  suggestedRules: [],
  blockedPath: null,
};

/** A session whose query asks before it answers; the answer ends it. */
class Asking extends FakeSession {
  constructor() {
    super((message, session) =>
      session.play(queryStarted(message), {
        type: 'permission_requested',
        queryId: `query-${message.id}`,
        question,
      }),
    );
  }

  override async answer(...answer: Parameters<FakeSession['answer']>): Promise<void> {
    await super.answer(...answer);
    this.play(queryEnded(this.messages[0]!.id));
  }
}

test('a question goes to the host as can_use_tool, and its answer to the query', async () => {
  const session = new Asking();
  const { world, exit, asked, say } = start(session);
  world.sayPrompt('go');

  const request = await asked();
  say(request, { behavior: 'allow', updatedInput: { command: 'make' } });
  world.stdin.end();

  expect(await exit).toBe(0);
  expect(request).toMatchObject({ request: { subtype: 'can_use_tool', tool_use_id: 'toolu_1' } });
  expect(session.calls).toContain('allow toolu_1');
});

test('a host that closes its input while it is asked has said no', async () => {
  const session = new Asking();
  const { world, exit, asked } = start(session);
  world.sayPrompt('go');
  await asked();

  world.stdin.end();
  await exit;

  expect(session.calls).toContain('deny toolu_1');
});

test('a host that takes over a session that waits is asked what waits', async () => {
  const session = new FakeSession();
  session.questions.push({ queryId: 'query-before', question });
  const { world, exit, asked, say } = start(session, ['--resume', session.sessionId]);
  world.control('r1', { subtype: 'initialize' });

  say(await asked(), { behavior: 'deny', message: 'No.' });
  world.stdin.end();
  await exit;

  expect(session.calls).toContain('deny toolu_1');
});
