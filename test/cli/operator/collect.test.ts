// Needs: a Temporal server (started by the run).
import { existsSync } from 'node:fs';
import { isAlive } from '../../../src/recovery/presence';
import { DailyCollection } from '../../../src/retention/daily-collection';
import { collect } from '../../../src/cli/operator/collect';
import type { CollectCommand } from '../../../src/cli/operator/collect-command';
import type { Operator } from '../../../src/cli/operator/operator';
import { withDurable, type Durable } from '../../support/durable';
import { operate, parsedAs } from '../../support/operator-world';
import { call, calls, says } from '../../support/replies';

const collection = (...args: readonly string[]): CollectCommand =>
  parsedAs('collect', 'collect', '--older-than', '1d', '--json', ...args);

const DAY_MS = 86_400_000;

/** In three days everything of today is old. */
const later = (command: CollectCommand, operator: Operator): Promise<number> =>
  collect(command, operator, { nowMs: Date.now() + 3 * DAY_MS, confirm: null });

/** A session that wrote a file, and has closed. */
async function ended(durable: Durable): Promise<void> {
  await durable.ask('Work.', { isLast: true });
  await durable.closed(durable.sessionHandle);
  // The server's index is a moment behind.
  while ((await durable.client.workflow.count(runs(durable, 'Completed'))).count < 2);
}

/** Of the session and of its query. */
const runs = ({ sessionWorkflowId }: Durable, status: 'Running' | 'Completed'): string =>
  `WorkflowId STARTS_WITH "${sessionWorkflowId}" AND ExecutionStatus = "${status}"`;

const script = [calls(call('Bash', { command: 'echo one' })), says('Worked.'), says('Again.')];

test('a session that is asked again after a collection sends the same request', () =>
  withDurable({ script, idleMs: 0 }, async (durable) => {
    await ended(durable);
    await durable.stopServing();

    const looked = await operate(durable, collection('--dry-run'), later);
    const done = await operate(durable, collection(), later);
    const entries = [];
    for await (const { entry } of durable.session.log.read()) entries.push(entry);
    await durable.serve();
    const again = await durable.ask('Again?', { isLast: true });

    const kinds = JSON.parse(looked.text) as { kinds: { ledger: { items: number } } };
    expect(kinds.kinds.ledger.items).toBe(2);
    expect(JSON.parse(done.text)).toMatchObject({
      kinds: kinds.kinds,
      open: 0,
      held: 0,
      done: true,
    });
    expect(entries).toEqual([]);
    expect(again.result).toBe('Again.');
    const [, before, after] = durable.model.requests.map(({ body }) => body);
    expect(after?.system).toEqual(before?.system);
    expect(after?.tools).toEqual(before?.tools);
    const unmarked = (messages: unknown) =>
      JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
    const [sent, resent] = [unmarked(before?.messages), unmarked(after?.messages)];
    expect(resent.startsWith(sent.slice(0, -1))).toBe(true);
    expect(resent).toContain('Worked.');
  }));

test('an open session is left alone, by the command and by Workers; one Worker collects a day', () =>
  withDurable({ script: [says('Hello.'), says('Bye.')], idleMs: 60_000 }, async (durable) => {
    await durable.ask('Hi');
    const { client, store, home } = durable;
    while ((await client.workflow.count(runs(durable, 'Running'))).count < 1);
    const daily = ['first', 'second'].map(
      (workerId) =>
        new DailyCollection({
          ...{ client, store, home, isAlive, days: 1, warn: (text) => expect(text).toBe('') },
          owner: { workerId, host: 'other', socket: '/nowhere' },
        }),
    );
    const collected = jest.spyOn(store, 'listSessions');

    const refused = await operate(durable, collection(), later);
    await Promise.all(daily.map((one) => one.look(Date.now() + 3 * DAY_MS)));
    await Promise.all(daily.map((one) => one.stop()));

    expect(JSON.parse(refused.text)).toMatchObject({ open: 1, kinds: {} });
    expect(collected).toHaveBeenCalledTimes(2);
    expect((await durable.ask('Bye', { isLast: true })).result).toBe('Bye.');
  }));

test('whole sessions go only when that is asked for, and confirmed', () =>
  withDurable({ script: [says('Hello.')], idleMs: 0 }, async (durable) => {
    await ended(durable);
    await durable.stopServing();
    const { sessionId, session } = durable;

    const shown = await operate(durable, collection('--transcripts', '--dry-run'), later);
    const unasked = operate(durable, collection('--transcripts'), later);
    await expect(unasked).rejects.toThrow(/1 session would be deleted.*--dry-run.*--yes/);
    const isLeft = existsSync(session.transcriptPath);
    await operate(durable, collection('--transcripts', '--yes'), later);

    expect(JSON.parse(shown.text)).toMatchObject({ deleted: [sessionId], done: false });
    expect(isLeft).toBe(true);
    expect(await durable.store.listSessions()).toEqual([]);
  }));

test('no age, no collection', () =>
  withDurable({ script: [], isServed: false }, async (durable) => {
    const command = parsedAs('collect', 'collect');

    await expect(operate(durable, command, later)).rejects.toThrow(/--older-than 30d/);
  }));
