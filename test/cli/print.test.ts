import { print } from '../../src/cli/print';
import { parseCommand } from '../../src/cli/parse-command';
import type { PrintCommand } from '../../src/cli/command';
import type { OpenSession } from '../../src/cli/session-request';
import type { Surroundings } from '../../src/cli/surroundings';
import {
  answers,
  FakeSession,
  interrupted,
  promptRecord,
  queryEnded,
  queryStarted,
  reply,
  SESSION_ID,
  textBlock,
} from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

const STREAM = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);
const echo = answers(({ content }) => `Answer to ${textOf(content)}`);

function start(
  args: readonly string[],
  session: FakeSession | OpenSession,
  given: Partial<Surroundings> = {},
) {
  const world = new FakeSurroundings();
  const openSession = session instanceof FakeSession ? async () => session : session;
  const exit = print(parseCommand(args, '1.2.3') as PrintCommand, {
    ...world.of(given),
    openSession,
    run: RUN_OPTIONS,
  });
  return { world, exit };
}

const isResult = (message: Record<string, unknown>): boolean => message['type'] === 'result';

describe('text output', () => {
  test('only the answer is on stdout, and the session is released and closed', async () => {
    const session = new FakeSession(echo);

    const { world, exit } = start(['-p', 'hi'], session);
    world.stdin.end();

    expect(await exit).toBe(0);
    expect(world.stdout.text).toBe('Answer to hi\n');
    expect(session.calls).toEqual(['submit', 'release', 'close']);
  });

  test('stdin alone is the prompt, and stands behind one that is given', async () => {
    const piped = new FakeSession(echo);
    const both = new FakeSession(echo);

    const first = start(['-p'], piped);
    first.world.stdin.end('from a pipe');
    const second = start(['-p', 'explain'], both);
    second.world.stdin.end('this log');
    await Promise.all([first.exit, second.exit]);

    expect(piped.messages[0]?.content).toBe('from a pipe');
    expect(both.messages[0]?.content).toBe('explain\nthis log');
  });

  test('an error result goes to stderr with exit code 1', async () => {
    const session = new FakeSession((message, self) =>
      self.play(
        queryStarted(message),
        queryEnded(message.id, { is_error: true, result: 'API Error: 401' }),
      ),
    );

    const { world, exit } = start(['-p', 'hi'], session);
    world.stdin.end();

    expect(await exit).toBe(1);
    expect(world.stdout.text).toBe('');
    expect(world.stderr.text).toBe('API Error: 401\n');
  });

  test('without a prompt nothing is opened', async () => {
    const { world, exit } = start(['-p'], () => Promise.reject(new Error('must not be opened')));
    world.stdin.end();

    expect(await exit).toBe(1);
    expect(world.stderr.text).toContain('There is no prompt');
  });
});

describe('json output', () => {
  test('is the last result, one object', async () => {
    const { world, exit } = start(['-p', 'hi', '--output-format', 'json'], new FakeSession(echo));
    world.stdin.end();
    await exit;

    const [only, ...others] = world.stdout.lines;
    expect(only).toMatchObject({ type: 'result', subtype: 'success', result: 'Answer to hi' });
    expect(others).toEqual([]);
  });

  test('with --verbose is the list of all messages', async () => {
    const args = ['-p', 'hi', '--output-format', 'json', '--verbose'];
    const { world, exit } = start(args, new FakeSession(echo));
    world.stdin.end();
    await exit;

    const [messages] = JSON.parse(`[${world.stdout.text}]`) as [{ type: string }[]];
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
  });
});

describe('stream-json', () => {
  test('two prompts have two results in one session, and the end of input comes after both', async () => {
    const { world, exit } = start(STREAM, new FakeSession(echo));
    world.sayPrompt('first');
    await world.stdout.message(isResult);
    world.sayPrompt('second');
    world.stdin.end();

    expect(await exit).toBe(0);
    const shapes = world.stdout.lines.map(({ type, subtype }) => subtype ?? type);
    expect(shapes).toEqual(['init', 'assistant', 'success', 'init', 'assistant', 'success']);
    expect(new Set(world.stdout.lines.map((line) => line['session_id']))).toEqual(
      new Set([SESSION_ID]),
    );
  });

  test('input that ends before the first answer cancels nothing', async () => {
    const session = new FakeSession();
    const { world, exit } = start(STREAM, session);
    world.sayPrompt('first');
    world.sayPrompt('second');
    world.stdin.end();
    while (session.messages.length < 2) await new Promise(setImmediate);

    for (const message of session.messages) echo(message, session);

    expect(await exit).toBe(0);
    expect(world.stdout.lines.filter(isResult)).toHaveLength(2);
  });

  test('a prompt that a running query heard is answered by that query', async () => {
    const session = new FakeSession();
    const { world, exit } = start(STREAM, session);
    world.sayPrompt('first');
    world.sayPrompt('and this');
    world.stdin.end();
    while (session.messages.length < 2) await new Promise(setImmediate);
    const [first, second] = session.messages;

    session.play(
      queryStarted(first!),
      promptRecord(first!),
      promptRecord(second!, first!.id),
      queryEnded(first!.id, { result: 'both' }),
    );

    expect(await exit).toBe(0);
    expect(world.stdout.lines.filter(isResult)).toHaveLength(1);
  });

  test('end of input without a prompt is exit 0 and no output', async () => {
    const { world, exit } = start(STREAM, new FakeSession());
    world.stdin.end();

    expect(await exit).toBe(0);
    expect(world.stdout.text).toBe('');
  });

  test('prompts are echoed only on request, with the uuid and content of the client', async () => {
    const uuid = '11111111-2222-4333-8444-555555555555';
    const content = [{ type: 'text', text: 'hello' }];
    const { world, exit } = start([...STREAM, '--replay-user-messages'], new FakeSession(echo));
    world.sayPrompt(content, { uuid });
    world.stdin.end();
    await exit;

    expect(world.stdout.lines[1]).toMatchObject({
      type: 'user',
      isReplay: true,
      uuid,
      message: { role: 'user', content },
    });
  });

  test('a message that an earlier process sent is not asked again', async () => {
    const uuid = '11111111-2222-4333-8444-555555555555';
    const session = new FakeSession(echo);
    session.oldRecords.add(uuid);
    const { world, exit } = start(STREAM, session);
    world.sayPrompt('again', { uuid });
    world.stdin.end();

    expect(await exit).toBe(0);
    expect(session.messages).toEqual([]);
    expect(world.stderr.text).toContain(uuid);
  });

  test('a client that follows the state hears running and idle in pairs, result inside', async () => {
    const { world, exit } = start(STREAM, new FakeSession(echo), { clientReadsState: true });
    world.sayPrompt('one');
    world.stdin.end();
    await exit;

    const shapes = world.stdout.lines.map(({ state, subtype, type }) => state ?? subtype ?? type);
    expect(shapes).toEqual(['running', 'init', 'assistant', 'success', 'idle']);
  });

  test('a line of 10 MB arrives whole', async () => {
    const session = new FakeSession(answers(() => 'ok'));
    const long = 'é'.repeat(5 * 1024 * 1024);
    const { world, exit } = start(STREAM, session);
    world.sayPrompt(long);
    world.stdin.end();
    await exit;

    expect(session.messages[0]?.content === long).toBe(true);
  });

  test.each([
    ['no JSON', 'hello\n'],
    ['another role', '{"type":"user","message":{"role":"assistant","content":"x"}}\n'],
    ['a control request without request', '{"type":"control_request","request_id":"1"}\n'],
  ])('%s → stderr, exit 1, nothing on stdout', async (_, line) => {
    const { world, exit } = start(STREAM, new FakeSession());
    world.stdin.write(line);

    expect(await exit).toBe(1);
    expect(world.stderr.text).toContain('Input cannot be used');
    expect(world.stdout.text).toBe('');
  });
});

describe('failures', () => {
  test('an unknown session is told on stderr and as a result without turns', async () => {
    const unknown = () => Promise.reject(new Error('No session abc. See everloop ls.'));
    const { world, exit } = start([...STREAM, '--resume', 'abc'], unknown);
    world.control('1', { subtype: 'initialize' });

    expect(await exit).toBe(1);
    expect(world.stderr.text).toContain('No session abc');
    expect(await world.stdout.message(isResult)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      num_turns: 0,
      errors: ['No session abc. See everloop ls.'],
      session_id: 'abc',
    });
  });

  test('a session that can no longer be reached ends the turn with an error result', async () => {
    const session = new FakeSession(() => {
      throw new Error('The server is gone.');
    });
    const { world, exit } = start(STREAM, session);
    world.sayPrompt('hi');

    expect(await exit).toBe(1);
    expect(world.stdout.lines.filter(isResult)).toMatchObject([
      { errors: ['The server is gone.'] },
    ]);
  });

  test('the exit code is that of the last result', async () => {
    const session = new FakeSession((message, self) =>
      self.play(
        queryStarted(message),
        queryEnded(message.id, message.content === 'bad' ? interrupted : { result: 'fine' }),
      ),
    );
    const { world, exit } = start(STREAM, session);
    world.sayPrompt('bad');
    world.sayPrompt('good');
    world.stdin.end();

    expect(await exit).toBe(0);
  });

  test('options without effect are named on stderr', async () => {
    const { world, exit } = start(['-p', 'hi', '--channels=a'], new FakeSession(echo));
    world.stdin.end();
    await exit;

    expect(world.stderr.text).toContain('--channels has no effect yet');
  });
});

describe('Ctrl-C', () => {
  const working = (message: Parameters<typeof echo>[0], self: FakeSession): void =>
    self.play(queryStarted(message), ...reply([textBlock('slow')]));
  const stopped = (self: FakeSession): void =>
    self.play(queryEnded(self.messages[0]!.id, interrupted));

  test('interrupts, writes the error result, and that is exit 0', async () => {
    const session = new FakeSession(working, stopped);
    const { world, exit } = start(['-p', 'hi', '--output-format', 'stream-json'], session);
    world.stdin.end();
    await world.stdout.message(({ type }) => type === 'assistant');

    world.pressCtrlC();

    expect(await exit).toBe(0);
    expect(world.stdout.lines.at(-1)).toMatchObject({ type: 'result', ...interrupted });
    expect(session.calls).toContain('interrupt');
  });

  test('pressed twice leaves at once', async () => {
    const session = new FakeSession(working);
    const { world, exit } = start(['-p', 'hi', '--output-format', 'stream-json'], session);
    world.stdin.end();
    await world.stdout.message(({ type }) => type === 'assistant');

    world.pressCtrlC();
    world.pressCtrlC();

    expect(await exit).toBe(130);
  });
});
