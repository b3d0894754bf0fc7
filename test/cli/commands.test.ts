import { attach } from '../../src/cli/attach';
import { parseCommand } from '../../src/cli/parse-command';
import { list } from '../../src/cli/list';
import { runDetached } from '../../src/cli/run-detached';
import { server } from '../../src/cli/server';
import { stop } from '../../src/cli/stop';
import { worker } from '../../src/cli/worker';
import type { Command, RunCommand } from '../../src/cli/command';
import {
  FakeSession,
  queryEnded,
  queryStarted,
  reply,
  SESSION_ID,
  textBlock,
} from '../support/fake-session';
import { FakeSurroundings, RUN_OPTIONS } from '../support/fake-surroundings';

type AttachCommand = Extract<Command, { type: 'attach' }>;
const AT_ONCE_MS = 1;
const NEVER_MS = 100_000;

describe('attach', () => {
  const command = (...args: string[]) =>
    parseCommand(['attach', SESSION_ID, ...args], '1') as AttachCommand;

  test('prints a session from its beginning and leaves it alone when it is idle', async () => {
    const session = new FakeSession();
    session.play(queryStarted({ id: 'p' }), ...reply([textBlock('hi')]), queryEnded('p'));
    const world = new FakeSurroundings();
    const deps = { ...world.of(), openSession: async () => session };

    const exitCode = await attach(command('--output-format=stream-json'), deps, AT_ONCE_MS);

    expect(exitCode).toBe(0);
    expect(world.stdout.lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect(session.calls).toEqual(['close']);
  });

  test('stays while a query runs, and Ctrl-C leaves without stopping it', async () => {
    const session = new FakeSession();
    session.play(queryStarted({ id: 'p' }));
    const world = new FakeSurroundings();
    const deps = { ...world.of(), openSession: async () => session };

    const exit = attach(command('--output-format=stream-json'), deps, NEVER_MS);
    await world.stdout.message(({ subtype }) => subtype === 'init');
    world.pressCtrlC();

    expect(await exit).toBe(0);
    expect(session.calls).toEqual(['close']);
  });
});

test('run --detach hands the prompt to a background session and prints its id', async () => {
  const session = new FakeSession();
  const world = new FakeSurroundings();
  const requests: unknown[] = [];
  const command = parseCommand(['run', '--detach', 'do it'], '1') as RunCommand;

  await runDetached(command, {
    ...world.of(),
    run: RUN_OPTIONS,
    openSession: async (request) => {
      requests.push(request);
      return session;
    },
  });

  expect(world.stdout.text).toBe(`${SESSION_ID}\n`);
  expect(requests).toMatchObject([{ choice: { type: 'new' }, serve: 'background' }]);
  expect(session.messages).toMatchObject([{ content: 'do it' }]);
  expect(session.calls).toEqual(['submit', 'release', 'close']);
});

test('stop ends what the session does, and says how to go on and what was dropped', async () => {
  const session = new FakeSession();
  session.waiting.push({
    id: 'm2',
    content: 'And then deploy it.',
    submittedAt: '',
    options: RUN_OPTIONS,
  });
  const world = new FakeSurroundings();
  const deps = { ...world.of(), openSession: async () => session };

  const said = { type: 'stop', selectors: [SESSION_ID] } as const;
  const everything = { ...deps, select: async (ids: readonly string[]) => ids };
  await stop({ ...said, json: false }, everything);

  expect(session.calls).toEqual(['stop', 'close']);
  expect(world.stdout.text).toContain(`--resume ${SESSION_ID}`);
  expect(world.stdout.text).toContain('Dropped before it was answered: And then deploy it.');

  world.stdout.text = '';
  await stop({ ...said, json: true }, everything);

  expect(JSON.parse(world.stdout.text)).toEqual({
    sessionId: SESSION_ID,
    endedShells: 0,
    dropped: ['And then deploy it.'],
  });
});

describe('ls', () => {
  const sessions = async () => [
    { sessionId: 'old', cwd: '/a', createdAt: '2026-01-01T00:00:00Z', state: null },
    { sessionId: 'new', cwd: '/b', createdAt: '2026-01-02T00:00:00Z', state: 'running' },
  ];

  test('shows the newest session first', async () => {
    const world = new FakeSurroundings();

    await list({ json: false }, { stdout: world.of().stdout, sessions });

    const [head, first, second] = world.stdout.text.split('\n');
    expect(head).toMatch(/^SESSION +CREATED/);
    expect(first).toMatch(/^new .*running +\/b/);
    expect(second).toMatch(/^old .*\? +\/a/);
  });

  test('--json is one object a line, and nothing for nothing', async () => {
    const world = new FakeSurroundings();
    const { stdout } = world.of();

    await list({ json: true }, { stdout, sessions });
    await list({ json: true }, { stdout, sessions: async () => [] });

    expect(world.stdout.lines.map(({ sessionId }) => sessionId)).toEqual(['new', 'old']);
  });
});

test('the status of a server that does not answer is exit code 1', async () => {
  const world = new FakeSurroundings();
  const unused = () => Promise.reject(new Error('not for status'));

  const exitCode = await server(
    { type: 'server', action: 'status', json: true },
    {
      stdout: world.of().stdout,
      start: unused,
      stop: unused,
      status: async () => ({ running: false }),
    },
  );

  expect(exitCode).toBe(1);
  expect(world.stdout.lines).toEqual([{ running: false }]);
});

test('a worker that is told to stop ends with exit code 0', async () => {
  const exitCode = await worker(
    { type: 'worker', files: [] },
    {
      check: async () => undefined,
      isServed: async () => false,
      onStop: (listener) => setImmediate(listener),
      graceMs: 0,
      serve: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    },
  );

  expect(exitCode).toBe(0);
});

test('a worker that cannot stop in order leaves all the same', async () => {
  jest.useFakeTimers();
  const leaving = worker(
    { type: 'worker', files: [] },
    {
      check: async () => undefined,
      isServed: async () => false,
      onStop: (listener) => void Promise.resolve().then(listener),
      graceMs: 5_000,
      serve: () => new Promise(() => undefined),
    },
  );
  const refused = expect(leaving).rejects.toThrow('could not stop in order within 24 s');

  await jest.advanceTimersByTimeAsync(24_000);

  await refused;
  jest.useRealTimers();
});

test('a worker with tools of its own is refused while another one serves without them', async () => {
  const starting = worker(
    { type: 'worker', files: ['./mine.ts'] },
    {
      check: async () => undefined,
      isServed: async () => true,
      onStop: () => undefined,
      graceMs: 0,
      serve: () => Promise.reject(new Error('It was started.')),
    },
  );

  await expect(starting).rejects.toThrow('runs already, without ./mine.ts. End it first');
});
