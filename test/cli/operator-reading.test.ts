// Needs: a Temporal server (started by the run).
import { PassThrough } from 'node:stream';
import { list } from '../../src/cli/list';
import { logs } from '../../src/cli/operator/logs';
import { show } from '../../src/cli/operator/show';
import type { Operator } from '../../src/cli/operator/operator';
import { OutputStream } from '../../src/cli/output/output-stream';
import { isAlive } from '../../src/recovery/presence';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';

const SECRET = 'hunter2hunter2';
const SCRIPT = [calls(call('Bash', { command: `touch made # TOKEN=${SECRET}` })), says('Made.')];
const ASKS = { permissionMode: 'default', asks: 'people' } as const;

function capture(): { readonly stdout: OutputStream; readonly text: () => string } {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return { stdout: new OutputStream(stream), text: () => Buffer.concat(chunks).toString() };
}

/** An operator of the session's home. */
function operatorOf({ client, agent, store, session }: Durable, stdout: OutputStream): Operator {
  return {
    stdout,
    host: { store, isAlive } as Operator['host'],
    connected: { client, agent } as Operator['connected'],
    session: async () => session.meta,
    sessions: async () => [session.meta],
  };
}

async function whileItWaits(act: (durable: Durable, id: string) => Promise<void>): Promise<void> {
  await withDurable({ script: SCRIPT }, async (durable) => {
    const id = await durable.say('Make it.', { isLast: true, options: ASKS });
    await durable.told(({ type }) => type === 'permission_requested');
    while ((await durable.agent.questions(durable.sessionId)).length === 0);
    await act(durable, id);
  });
}

test('show says what a session waits for, and the command that helps', () =>
  whileItWaits(async (durable) => {
    const { stdout, text } = capture();

    await show({ type: 'show_session', session: '', json: false }, operatorOf(durable, stdout));

    const [{ question }] = (await durable.agent.questions(durable.sessionId)) as [
      Awaited<ReturnType<Durable['agent']['questions']>>[number],
    ];
    expect(text()).toContain('waits for approval: Bash touch made # TOKEN=[redacted]');
    expect(text()).toContain(`everloop approve ${durable.sessionId} ${question.call.id}`);
    expect(text()).toMatch(/turn +1 of any number/);
    expect(text()).toMatch(/context +\d+ of 200000 tokens/);
    expect(text()).toMatch(/served by +Worker /);
    expect(text()).not.toContain(SECRET);
  }));

test('show tells what it can of a session that nobody serves, and how to serve it', () =>
  whileItWaits(async (durable) => {
    await durable.stopServing();
    const { stdout, text } = capture();

    await show({ type: 'show_session', session: '', json: true }, operatorOf(durable, stdout));

    const shown = JSON.parse(text()) as { readonly commands: readonly string[] };
    expect(shown).toMatchObject({
      state: 'open',
      isServed: false,
      queries: [{ status: 'awaiting-approval', waitingFor: 'approval: Bash', own: null }],
    });
    expect(shown.commands).toContain(`everloop attach ${durable.sessionId}`);
  }));

test('logs print a line for each step, without secrets', () =>
  whileItWaits(async (durable, id) => {
    const { stdout, text } = capture();
    await durable.queryHandle(id).executeUpdate('approve', { args: [{ toolUseIds: 'all' }] });
    await durable.resultOf(id);

    await logs(
      { type: 'logs', session: '', follow: false, json: false },
      { stdout, session: async () => durable.session, onInterrupt: () => undefined },
    );

    const steps = text()
      .split('\n')
      .map((line) => line.replace(/^\S+ {2}/, ''));
    expect(steps).toEqual(
      expect.arrayContaining([
        'user · Make it.',
        'turn 1 · model is asked',
        'tool · Bash touch made # TOKEN=[redacted]',
        'reply · Made.',
        expect.stringMatching(/^query ended · completed · 2 turns/),
      ]),
    );
    expect(text()).not.toContain(SECRET);
  }));

test('logs that are followed go on until somebody leaves', () =>
  withDurable({ script: [says('Hello.')] }, async (durable) => {
    const { stdout, text } = capture();
    let leave: () => void = () => undefined;
    const following = logs(
      { type: 'logs', session: '', follow: true, json: true },
      { stdout, session: async () => durable.session, onInterrupt: (one) => (leave = one) },
    );

    await durable.resultOf(await durable.say('Hello?', { isLast: true }));
    while (!text().includes('query_ended')) await new Promise((resolve) => setTimeout(resolve, 20));
    leave();

    expect(await following).toBe(0);
  }));

test('ls shows what a session waits for', async () => {
  const { stdout, text } = capture();
  const session = {
    sessionId: 's1',
    cwd: '/project',
    createdAt: '2026-01-01T00:00:00Z',
    state: 'open',
    status: 'awaiting-approval',
    waitingFor: 'approval: Bash',
  };

  await list({ json: false }, { stdout, sessions: async () => [session] });

  expect(text()).toContain('awaiting-approval (approval: Bash)  /project');
});
