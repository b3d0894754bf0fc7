import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ActivityCancellationDetails, WorkflowNotFoundError } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { Attempt } from '../../src/activities/attempt';
import { asTemporalAttempt } from '../../src/activities/temporal-attempt';
import { createRunNotes, readRunNotes } from '../../src/recovery/run-notes';

const OWNER = { workerId: 'w', host: 'localhost', socket: '/none' };
const workflowExecution = { workflowId: 'workflow', runId: 'run' };
const INFO = { activityId: '7', attempt: 2, base64TaskToken: 'dG9rZW4=', workflowExecution };
const ENDED = { promptId: 'p', leaf: 'l', consumed: [], reason: 'completed' } as const;

const logger = new DefaultLogger('ERROR');

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'everloop-attempt-'))));
afterEach(() => rmSync(home, { recursive: true }));

/** A client that remembers what it was told to signal. */
function clientThat(fails?: Error, pendingActivities: readonly unknown[] = []) {
  const signals: unknown[] = [];
  const getHandle = (...ids: readonly string[]) => ({
    signal: async (...signal: readonly unknown[]) => {
      if (fails) throw fails;
      signals.push([...ids, ...signal]);
    },
    describe: async () => ({ status: { name: 'RUNNING' }, raw: { pendingActivities } }),
  });
  return { client: { workflow: { getHandle } } as unknown as Client, signals };
}

function inTemporal<Result>(
  body: (attempt: Attempt, environment: MockActivityEnvironment) => Promise<Result>,
  client: Client = clientThat().client,
): Promise<Result> {
  const environment = new MockActivityEnvironment(INFO, { logger });
  const notes = createRunNotes(home, OWNER);
  return environment.run(() =>
    asTemporalAttempt({ client, notes }, (attempt) => body(attempt, environment)),
  );
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

test('an attempt is named by its run, its Activity and its number; its key by the first two', async () => {
  const attempt = await inTemporal(async (it) => it);

  expect(attempt).toMatchObject({ ...workflowExecution, activityId: '7', number: 2, key: 'run:7' });
});

test('heartbeats come on a timer, from the start to the end and no longer', async () => {
  const beats: number[] = [];
  const startedAtMs = Date.now();

  await inTemporal(async (_attempt, environment) => {
    await new Promise<void>((resolve) =>
      environment.on('heartbeat', () => {
        if (beats.push(Date.now() - startedAtMs) === 3) resolve();
      }),
    );
    environment.removeAllListeners();
    environment.on('heartbeat', () => beats.push(-1));
  });
  await new Promise((resolve) => setTimeout(resolve, 350));

  expect(beats).toHaveLength(3);
  expect(beats[2]).toBeGreaterThan(550);
});

test('a requested cancel is a stop, and what the body returns then counts', async () => {
  const result = await inTemporal(async (attempt, environment) => {
    environment.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    await aborted(attempt.stop);
    return { kept: true, over: attempt.over.aborted || attempt.forgotten.aborted };
  });

  expect(result).toEqual({ kept: true, over: false });
});

test.each([
  ['WORKER_SHUTDOWN', { workerShutdown: true }],
  ['TIMED_OUT', { timedOut: true }],
  ['PAUSED', { paused: true }],
  ['RESET', { reset: true }],
] as const)(
  '%s ends the attempt: Temporal sees its own reason, whatever the body threw',
  async (reason, details) => {
    const running = inTemporal(async (attempt, environment) => {
      environment.cancel(reason, new ActivityCancellationDetails(details));
      await aborted(attempt.over);
      throw new Error(attempt.stop.aborted ? 'stopped' : 'something of ours');
    });

    await expect(running).rejects.toMatchObject({ name: 'CancelledFailure', message: reason });
  },
);

test('an attempt that the server does not know is forgotten', async () => {
  const running = inTemporal(async (attempt, environment) => {
    environment.cancel('NOT_FOUND', new ActivityCancellationDetails({ notFound: true }));
    await aborted(attempt.forgotten);
    throw new Error('something of ours');
  });

  await expect(running).rejects.toThrow('NOT_FOUND');
});

test('an attempt that another has taken the place of leaves to it what runs', async () => {
  const { client } = clientThat(undefined, [{ activityId: INFO.activityId }]);
  const running = inTemporal(async (attempt, environment) => {
    environment.cancel('NOT_FOUND', new ActivityCancellationDetails({ notFound: true }));
    await aborted(attempt.over);
    expect(attempt.forgotten.aborted).toBe(false);
    throw new Error('something of ours');
  }, client);

  await expect(running).rejects.toThrow('NOT_FOUND');
});

test('a failure of the body itself passes as it is', async () => {
  const failure = new Error('ours');

  await expect(inTemporal(() => Promise.reject(failure))).rejects.toBe(failure);
});

test('while an attempt runs its token is noted; afterwards the note is gone', async () => {
  const during = await inTemporal(async () => readRunNotes(home));

  const [after] = readRunNotes(home);
  expect(during).toMatchObject([
    { owner: OWNER, attempts: [{ token: 'dG9rZW4=', ...workflowExecution }] },
  ]);
  expect(after).toMatchObject({ attempts: [], workflowIds: ['workflow'] });
});

test('the note of an attempt that fails goes too', async () => {
  await inTemporal(() => Promise.reject(new Error('ours'))).catch(() => undefined);

  expect(readRunNotes(home)[0]?.attempts).toEqual([]);
});

test('an early call goes to the very run; the end of a query to whatever run the session is in', async () => {
  const { client, signals } = clientThat();
  const ready = { activityId: '7', stream: 's', toolUse: {} as never };

  await inTemporal(async (attempt) => {
    await attempt.signalToolReady(ready);
    await attempt.signalQueryEnded('session', ENDED);
  }, client);

  expect(signals).toEqual([
    ['workflow', 'run', 'toolReady', ready],
    ['session', 'queryEnded', ENDED],
  ]);
});

test('a session that is gone need not hear of the end; other failures count', async () => {
  const gone = new WorkflowNotFoundError('gone', 'session', undefined);
  const tell = (attempt: Attempt) => attempt.signalQueryEnded('session', ENDED);

  await inTemporal(tell, clientThat(gone).client);
  const other = inTemporal(tell, clientThat(new Error('unavailable')).client);

  await expect(other).rejects.toThrow('unavailable');
});

test('an Activity outside a Workflow is refused for good', async () => {
  const environment = new MockActivityEnvironment(INFO, { logger });
  Object.assign(environment.context.info, { workflowExecution: undefined, inWorkflow: false });
  const temporal = { client: clientThat().client, notes: createRunNotes(home, OWNER) };

  const running = environment.run(() => asTemporalAttempt(temporal, async () => undefined));

  await expect(running).rejects.toMatchObject({ type: 'Config.NoWorkflow', nonRetryable: true });
});
