// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryStatus } from '../../../src/workflows/interface';
import { withDurable, type Durable } from '../../support/durable';
import { runsOf, type Run } from '../../support/histories';
import { calls, fileIn, heldCommand, says } from '../../support/replies';

const MESSAGES = Number(process.env['EVERLOOP_TEST_FLOOD'] ?? 300);
const AT_ONCE = 10;

/** Sends so many messages, ten at a time: the server takes no more Updates in flight. */
async function flood(durable: Durable, messages: number): Promise<void> {
  let left = messages;
  const send = async (): Promise<void> => {
    while (left-- > 0) await durable.say(`Message ${left}.`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
}

/** Resolves when the query has been told of so many messages. */
async function heardOf(durable: Durable, promptId: string, messages: number): Promise<void> {
  for (;;) {
    const { waiting } = await durable.queryHandle(promptId).query<QueryStatus>('status');
    if (waiting.length >= messages) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const countOf = ({ history }: Run, attributes: string): number =>
  (history.events ?? []).filter((event) => Reflect.get(event, attributes) != null).length;

const most = (runs: readonly Run[], attributes: string): number =>
  Math.max(...runs.map((run) => countOf(run, attributes)));

test('a session under a flood of messages rolls over in time, and its query hears of every one', () =>
  withDurable(
    { script: [calls(heldCommand()), says('Done.')], rolloverEvents: 100 },
    async (durable) => {
      const id = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      await flood(durable, MESSAGES);
      await heardOf(durable, id, MESSAGES);
      const query = durable.queryHandle(id).workflowId;
      const session = await runsOf(durable.client, durable.sessionWorkflowId);
      writeFileSync(join(durable.project, 'go'), '');
      await durable.resultOf(id);

      const updates = most(session, 'workflowExecutionUpdateAcceptedEventAttributes');
      const signals = most(
        await runsOf(durable.client, query),
        'workflowExecutionSignaledEventAttributes',
      );
      process.stdout.write(
        `  ${MESSAGES} messages: ${session.length} runs of the session, at most ${updates} Updates in one; ${signals} Signals to the query\n`,
      );
      expect(updates).toBeLessThan(200);
      expect(signals).toBeLessThanOrEqual(MESSAGES);
      const heard = JSON.stringify(durable.requestMessages.at(-1)).match(/Message \d+\./g);
      expect(new Set(heard).size).toBe(MESSAGES);
    },
  ));

test('an inbox that is full refuses a message with a cure, and takes it when there is room', () =>
  withDurable({ script: [calls(heldCommand()), says('Done.'), says('More.')] }, async (durable) => {
    const model = 'm'.repeat(60_000);
    const id = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    const refused = (async () => {
      for (;;) await durable.say('And this.', { options: { model } });
    })();

    await expect(refused).rejects.toThrow('messages wait for the session, and it can keep no more');

    writeFileSync(join(durable.project, 'go'), '');
    await durable.resultOf(id);
    expect(await durable.ask('Next.')).toMatchObject({ result: 'More.' });
  }));
