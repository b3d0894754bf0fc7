// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePriority } from '../../src/workflows/interface';
import { RUN_OPTIONS } from '../support/fake-surroundings';
import { withDurable, type Durable } from '../support/durable';
import { whenStatus } from '../support/query-status';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const go = ({ project }: Durable): void => writeFileSync(join(project, 'go'), '');
const look = () => calls(call('Glob', { pattern: '*.none' }));

/** As `everloop steer` does; resolves when the session has accepted it. */
async function steer(
  { agent, session }: Durable,
  content: string,
  priority: MessagePriority,
): Promise<string> {
  const id = randomUUID();
  const options = {
    ...RUN_OPTIONS,
    model: 'claude-sonnet-4-6',
    permissionMode: 'bypassPermissions' as const,
  };
  const message = { id, content, submittedAt: new Date().toISOString(), options };
  await agent.submit(session, message, { isLast: false, priority });
  return id;
}

const heardOf = (durable: Durable, promptId: string, id: string): Promise<unknown> =>
  whenStatus(durable.queryHandle(promptId), ({ waiting }) => waiting.includes(id));

const promptOf = (durable: Durable, request: number): string =>
  JSON.stringify(durable.requestMessages[request]);

test('now: the running turn is interrupted, and the message is answered next, before those that wait', () =>
  withDurable(
    { script: [calls(heldCommand()), says('At once.'), says('Second.')] },
    async (durable) => {
      const first = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      const second = await durable.steer(first, 'And this.');
      const urgent = await steer(durable, 'Stop that and greet.', 'now');

      expect(await durable.resultOf(first)).toMatchObject({ terminal_reason: 'aborted_tools' });
      expect(await durable.resultOf(urgent)).toMatchObject({ result: 'At once.' });
      expect(await durable.resultOf(second)).toMatchObject({ result: 'Second.' });
      expect(promptOf(durable, 1)).toContain('Stop that and greet.');
      expect(promptOf(durable, 1)).not.toContain('And this.');
    },
  ));

test('next: the message is heard after the running batch, by the same query', () =>
  withDurable({ script: [calls(heldCommand()), says('Both.')] }, async (durable) => {
    const first = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    const id = await steer(durable, 'And greet.', 'next');
    await heardOf(durable, first, id);
    go(durable);

    expect(await durable.resultOf(first)).toMatchObject({ result: 'Both.' });
    expect(promptOf(durable, 1)).toMatch(/tool_result.*And greet\./);
  }));

test('later: the message waits for the end of the query, whatever batches come, and gets its own', () =>
  withDurable(
    { script: [calls(heldCommand()), look(), says('First.'), says('Later.')], rolloverEvents: 1 },
    async (durable) => {
      const first = await durable.say('Work.');
      await fileIn(durable.project, 'started');
      const id = await steer(durable, 'Then greet.', 'later');
      await heardOf(durable, first, id);
      go(durable);

      expect(await durable.resultOf(first)).toMatchObject({ result: 'First.' });
      expect(await durable.resultOf(id)).toMatchObject({ result: 'Later.' });
      expect(promptOf(durable, 2)).not.toContain('Then greet.');
    },
  ));

test('one at a time: each batch brings one of the messages that wait, and none is lost at the limit', () =>
  withDurable(
    {
      script: [calls(heldCommand()), look(), says('Third.')],
      steering: 'one_at_a_time',
    },
    async (durable) => {
      const first = await durable.say('Work.', { options: { maxTurns: 2 } });
      await fileIn(durable.project, 'started');
      await heardOf(durable, first, await steer(durable, 'One.', 'next'));
      const two = await steer(durable, 'Two.', 'next');
      await heardOf(durable, first, two);
      go(durable);

      expect(await durable.resultOf(first)).toMatchObject({ subtype: 'error_max_turns' });
      expect(await durable.resultOf(two)).toMatchObject({ result: 'Third.' });
      expect(promptOf(durable, 1)).toContain('One.');
      expect(promptOf(durable, 1)).not.toContain('Two.');
    },
  ));

test.each<MessagePriority>(['now', 'next', 'later'])(
  '%s: a message that comes with the end of the query is answered all the same',
  (priority) =>
    withDurable(
      { script: [{ ...says('First.'), hold: 'last' }, says('Second.')] },
      async (durable) => {
        const first = await durable.say('1?');
        await durable.model.waitUntilHeld('last');
        const id = await steer(durable, '2?', priority);
        durable.model.release('last');
        await durable.resultOf(first);

        expect(await durable.resultOf(id)).toMatchObject({ result: 'Second.' });
      },
    ),
);
