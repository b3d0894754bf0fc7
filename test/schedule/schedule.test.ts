// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OutputStream } from '../../src/cli/output/output-stream';
import { schedule } from '../../src/cli/operator/schedule';
import { parseSchedule } from '../../src/cli/operator/schedule-command';
import { scheduleId } from '../../src/schedule/schedule-id';
import { ScheduledPrompts } from '../../src/schedule/scheduled-prompts';
import type { SessionStore } from '../../src/transcript/store';
import { Command } from 'commander';
import { withDurable, type Durable } from '../support/durable';
import { fileIn, heldCommand, calls, says } from '../support/replies';

/** `everloop schedule …` in the project of a test, whose Worker begins the sessions. Resolves with its stdout. */
async function run(durable: Durable, ...args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough().resume()];
  await schedule(parseSchedule(new Command().exitOverride(), args), {
    schedules: durable.client.schedule,
    prompts: new ScheduledPrompts(durable.home),
    place: durable.store.place,
    taskQueue: durable.session.meta.taskQueue,
    cwd: durable.project,
    stdout: new OutputStream(stdout),
    stderr: new OutputStream(stderr),
    ensureWorker: async () => undefined,
  });
  stdout.end();
  return text(stdout);
}

interface Shown {
  readonly taken: number;
  readonly skipped: number;
  readonly firings: readonly { readonly sessionId: string; readonly isRunning: boolean }[];
}

const show = async (durable: Durable, name: string): Promise<Shown> =>
  JSON.parse(await run(durable, 'show', name, '--json')) as Shown;

/** Asks the server again and again; the test's own time limit is the deadline. */
async function shownWhen(
  durable: Durable,
  name: string,
  holds: (shown: Shown) => boolean,
): Promise<Shown> {
  for (;;) {
    const shown = await show(durable, name);
    if (holds(shown)) return shown;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function sessionOf({ store }: Durable, sessionId: string): Promise<SessionStore> {
  for (;;) {
    const session = await store.openSession(sessionId);
    if (session !== undefined) return session;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function resultOf(session: SessionStore): Promise<string> {
  for await (const { entry } of session.log.follow(null, new AbortController().signal)) {
    if (entry.type === 'query_ended') return JSON.stringify(entry.result);
  }
  throw new Error('The session log ended.');
}

const payloadsIn = (history: string): string =>
  [...history.matchAll(/"data":"(.*?)"/g)]
    .map(([, base64 = '']) => Buffer.from(base64, 'base64').toString('utf8'))
    .join('\n');

const YEARLY = ['--cron', '0 0 1 1 *', '--dangerously-skip-permissions', '--model', 'haiku'];

test('each firing is a session of its own, and its history holds first words of the prompt at most', async () => {
  const name = `each-${randomUUID()}`;
  await withDurable({ script: [says('One.'), says('Two.')] }, async (durable) => {
    await run(durable, 'create', name, ...YEARLY, `${'Look. '.repeat(60)}A secret.`);
    await run(durable, 'trigger', name);
    const first = await shownWhen(durable, name, ({ firings }) => firings[0]?.isRunning === false);
    await run(durable, 'trigger', name);
    const { firings } = await shownWhen(durable, name, ({ firings: all }) => all.length === 2);

    const sessions = firings.map(({ sessionId }) => sessionId);
    const results = await Promise.all(
      sessions.map(async (id) => resultOf(await sessionOf(durable, id))),
    );
    expect(sessions[0]).toBe(first.firings[0]?.sessionId);
    expect(results).toEqual([expect.stringContaining('One.'), expect.stringContaining('Two.')]);
    expect(durable.model.requests[0]?.body.model).toContain('haiku');
    const workflows = durable.client.workflow.list({
      query: `WorkflowId STARTS_WITH '${scheduleId(durable.store.place, name)}'`,
    });
    for await (const { workflowId } of workflows) {
      const history = await durable.client.workflow.getHandle(workflowId).fetchHistory();
      expect(payloadsIn(JSON.stringify(history))).not.toContain('secret');
    }
    await run(durable, 'delete', name);
  });
});

test('a firing is left out while the session of the one before runs', async () => {
  const name = `overlap-${randomUUID()}`;
  await withDurable({ script: [calls(heldCommand()), says('Done.')] }, async (durable) => {
    await run(durable, 'create', name, ...YEARLY, 'Work.');
    await run(durable, 'trigger', name);
    await fileIn(durable.project, 'started');
    await run(durable, 'trigger', name);

    const { taken, skipped } = await shownWhen(durable, name, (shown) => shown.skipped > 0);

    expect({ taken, skipped }).toEqual({ taken: 1, skipped: 1 });
    await run(durable, 'delete', name);
    await stopFirings(durable, name);
  });
});

test('a firing that is cancelled stops its session', async () => {
  const name = `cancel-${randomUUID()}`;
  await withDurable({ script: [calls(heldCommand())] }, async (durable) => {
    await run(durable, 'create', name, ...YEARLY, 'Work.');
    await run(durable, 'trigger', name);
    await fileIn(durable.project, 'started');
    const { firings } = await show(durable, name);

    await stopFirings(durable, name);

    const result = await resultOf(await sessionOf(durable, firings[0]?.sessionId ?? ''));
    expect(result).toContain('error_during_execution');
    await run(durable, 'delete', name);
  });
});

/** Cancels what runs, and waits for its end. */
async function stopFirings({ client, store }: Durable, name: string): Promise<void> {
  const query = `WorkflowId STARTS_WITH '${scheduleId(store.place, name)}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId);
    await handle.cancel();
    await handle.result().catch(() => undefined);
  }
}

test('pause, resume and delete change what the server has, and unknown names are told', async () => {
  const name = `change-${randomUUID()}`;
  await withDurable({ script: [] }, async (durable) => {
    await run(durable, 'create', name, ...YEARLY, 'Work.');
    await expect(run(durable, 'create', name, ...YEARLY, 'Other.')).rejects.toThrow('There is a');

    await run(durable, 'pause', name);
    expect(await show(durable, name)).toMatchObject({ state: 'paused', prompt: 'Work.' });
    await run(durable, 'resume', name);
    expect(await show(durable, name)).toMatchObject({ state: 'active' });
    await run(durable, 'delete', name);

    await expect(run(durable, 'show', name)).rejects.toThrow('There is no schedule');
    await expect(run(durable, 'delete', name)).rejects.toThrow('There is no schedule');
    await run(durable, 'create', name, ...YEARLY, 'Again.');
    await run(durable, 'delete', name);
  });
});

test('times that the server does not take leave nothing behind', async () => {
  const name = `times-${randomUUID()}`;
  await withDurable({ script: [] }, async (durable) => {
    const creating = run(durable, 'create', name, '--cron', 'at noon', 'Work.');

    await expect(creating).rejects.toThrow(/refused the schedule .*Check --cron/);
    expect(await new ScheduledPrompts(durable.home).find(name)).toBeUndefined();
  });
});
