// Needs: a Temporal server (started by the run); starts Worker processes and kills them.
import type { Reply } from '../../src/scripted-model/reply';
import { startBackground, type BackgroundWorker } from '../support/background-worker';
import { withDurable, type Durable } from '../support/durable';
import { WorkerProcess } from '../support/worker-process';

const text = (said: string): Reply => ({ content: [{ type: 'text', text: said }] });
const held: Reply = {
  ...text('told to its end the second time'),
  interruptions: [{ type: 'hold', name: 'until killed', afterDeltas: 1 }],
};
const asked: Reply = {
  content: [{ type: 'tool_use', name: 'Bash', input: { command: 'touch made', description: 'x' } }],
};

let background: BackgroundWorker | undefined;
let foreground: WorkerProcess | undefined;
afterEach(async () => {
  await foreground?.kill();
  background = foreground = undefined;
});

/** A reply that its listener did not live to hear is told again. */
const unserved = { isServed: false, match: 'conversation' } as const;
const untilSpoken = ({ model }: Durable): Promise<void> =>
  model.waitUntilHeld('until killed', { timeoutMs: 60_000 });

/** A session whose own process is killed while the model speaks. */
async function orphaned(durable: Durable, options = {}): Promise<string> {
  foreground = await WorkerProcess.startOwner(durable);
  const messageId = await durable.say('go', { isLast: true, options });
  await untilSpoken(durable);
  await foreground.kill();
  await durable.model.requests[0]?.ended;
  durable.model.release('until killed');
  return messageId;
}

async function withBackground(
  durable: Durable,
  fingerprint: Parameters<typeof startBackground>[1],
  act: () => Promise<void>,
): Promise<void> {
  background = await startBackground(durable, fingerprint);
  try {
    await act();
  } finally {
    await background.stop();
  }
}

/** Asks until it is so; the test's own time limit is the deadline. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
}

const elsewhere = { baseUrl: 'http://127.0.0.1:9', credentials: 'api_key' } as const;

test('a session whose process is killed goes on under the background Worker that lives', async () => {
  await withDurable({ ...unserved, script: [held] }, async (durable) => {
    await withBackground(durable, undefined, async () => {
      const messageId = await orphaned(durable);

      const result = await durable.resultOf(messageId);

      expect(result).toMatchObject({ is_error: false });
      expect((await durable.session.currentLease())?.owner.workerId).toBe(background?.workerId);
      await durable.closed(durable.sessionHandle);
      await until(async () => (await durable.session.currentLease()) === undefined);
      expect(background?.warnings).toEqual([]);
    });
  });
});

test('a background Worker that starts later adopts what it finds', async () => {
  await withDurable({ ...unserved, script: [held] }, async (durable) => {
    const messageId = await orphaned(durable);

    await withBackground(durable, undefined, async () => {
      expect(await durable.resultOf(messageId)).toMatchObject({ is_error: false });
    });
  });
});

test.each([
  ['another base URL', elsewhere, {}],
  ['other credentials', undefined, {}],
  ['hooks of its client', undefined, { needsHost: ['hooks'] }],
  ['an agent of a program', undefined, { agent: 'reviewer' }],
] as const)(
  'a session that needs %s is not adopted, yet it answers',
  async (of, print, options) => {
    const replies = of === 'hooks of its client' || of === 'an agent of a program' ? [] : [held];
    await withDurable({ ...unserved, script: replies }, async (durable) => {
      const other = { baseUrl: durable.model.url, credentials: 'auth_token' } as const;
      const fingerprint = of === 'other credentials' ? other : print;
      const messageId =
        replies.length > 0 ? await orphaned(durable) : await submitted(durable, options);

      await withBackground(durable, fingerprint, async () => {
        const status = await durable.agent.status(durable.sessionId);
        await durable.agent.interrupt(durable.sessionId, 'user');
        const query = await durable.queryHandle(messageId).query('status');

        expect(status).toMatchObject({ status: 'running' });
        expect(query).toMatchObject({ questions: [] });
        expect((await durable.session.currentLease())?.owner.workerId).not.toBe(
          background?.workerId,
        );
        // The one of the process that was killed.
        expect(durable.model.requests.map(({ outcome }) => outcome)).toEqual(
          replies.map(() => 'client_left'),
        );
      });
    });
  },
);

/** A message that came while nobody served: the submit itself is answered once somebody does. */
async function submitted(durable: Durable, options: object): Promise<string> {
  const helper = await startBackground(durable, elsewhere);
  const id = crypto.randomUUID();
  const saying = durable.say('go', { id, options });
  await saying;
  await helper.stop();
  return id;
}

test('a question can be answered while nobody may serve the session', async () => {
  await withDurable({ isServed: false, script: [asked] }, async (durable) => {
    foreground = await WorkerProcess.startOwner(durable);
    const options = { permissionMode: 'default', asks: 'people' } as const;
    const messageId = await durable.say('go', { options });
    const told = await durable.told(({ type }) => type === 'permission_requested');
    if (told.type !== 'permission_requested') throw new Error('unreachable');
    await foreground.kill();

    await withBackground(durable, elsewhere, async () => {
      const queryId = durable.queryHandle(messageId).workflowId;
      const { call } = told.question;
      const receipt = await durable.agent.answer(
        durable.session,
        { queryId, call },
        { behavior: 'allow', by: 'a person' },
      );

      expect(receipt).toBe('decided');
      expect(durable.model.requests).toHaveLength(1);
    });
  });
});

test('a process that was stopped leaves the session to the Worker that adopted it', async () => {
  await withDurable({ ...unserved, script: [held, text('done')] }, async (durable) => {
    await withBackground(durable, undefined, async () => {
      foreground = await WorkerProcess.startOwner(durable);
      const messageId = await durable.say('go', { isLast: true });
      await untilSpoken(durable);

      foreground.signal('SIGSTOP');
      durable.model.release('until killed');
      const result = await durable.resultOf(messageId);
      foreground.signal('SIGCONT');

      expect(result).toMatchObject({ is_error: false });
      const ends = durable.entries.filter(({ type }) => type === 'query_ended');
      expect(ends).toHaveLength(1);
      // It writes into the home, which goes.
      await foreground.kill();
    });
  });
});

test('a session with nothing to do is free for the client that comes back', async () => {
  await withDurable({ ...unserved, script: [held, text('again')] }, async (durable) => {
    await withBackground(durable, undefined, async () => {
      foreground = await WorkerProcess.startOwner(durable);
      const messageId = await durable.say('go');
      await untilSpoken(durable);
      await foreground.kill();
      durable.model.release('until killed');
      await durable.resultOf(messageId);

      await until(async () => (await durable.session.currentLease()) === undefined);
      foreground = await WorkerProcess.startOwner(durable);
      await durable.ask('once more', { isLast: true });

      expect((await durable.session.currentLease())?.owner.workerId).not.toBe(background?.workerId);
    });
  });
});
