// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDurable, type Durable } from '../support/durable';
import { whenStatus } from '../support/query-status';
import { calls, fileIn, heldCommand, says } from '../support/replies';

const go = ({ project }: Durable): void => writeFileSync(join(project, 'go'), '');

const startedQueries = ({ entries }: Durable): readonly string[] =>
  entries.flatMap((entry) => (entry.type === 'query_started' ? [entry.promptId] : []));

test('a session answers a message', () =>
  withDurable({ script: [says('Hello.')] }, async (durable) => {
    const result = await durable.ask('Hi');

    expect(result).toMatchObject({ subtype: 'success', result: 'Hello.', num_turns: 1 });
    durable.model.assertConsumed();
  }));

test('two messages are two queries of one session, in order, with one context', () =>
  withDurable({ script: [says('One.'), says('Two.')] }, async (durable) => {
    const first = await durable.say('1?');
    const second = await durable.say('2?');
    await durable.resultOf(second);

    expect(startedQueries(durable)).toEqual([first, second]);
    expect(durable.requestMessages[1]).toMatchObject([
      { role: 'user', content: [{ text: '1?' }] },
      { role: 'assistant', content: [{ text: 'One.' }] },
      { role: 'user', content: [{ text: '2?' }] },
    ]);
  }));

describe('a message id that comes twice is answered once', () => {
  test('while its query waits or runs', () =>
    withDurable({ script: [calls(heldCommand()), says('One.'), says('Two.')] }, async (durable) => {
      const id = await durable.say('1?');
      await fileIn(durable.project, 'started');
      await durable.say('1?', { id });
      go(durable);
      await durable.resultOf(id);
      await durable.ask('2?');

      durable.model.assertConsumed();
    }));

  test('after its query has ended', () =>
    withDurable({ script: [says('One.'), says('Two.')] }, async (durable) => {
      const id = randomUUID();
      await durable.ask('1?', { id });
      await durable.say('1?', { id });
      await durable.ask('2?');

      durable.model.assertConsumed();
    }));

  test('after its session has ended', () =>
    withDurable({ script: [says('One.'), says('Two.')] }, async (durable) => {
      const id = randomUUID();
      await durable.ask('1?', { id, isLast: true });
      await durable.closed(durable.sessionHandle);
      await durable.say('1?', { id });
      await durable.ask('2?');

      durable.model.assertConsumed();
    }));

  test('after it was folded into the query of another message', () =>
    withDurable({ script: [calls(heldCommand()), says('One.'), says('Two.')] }, async (durable) => {
      const first = await durable.say('1?');
      await fileIn(durable.project, 'started');
      const id = await durable.steer(first, 'And this.', { isLast: true });
      go(durable);
      await durable.resultOf(first);
      await durable.closed(durable.sessionHandle);
      await durable.ask('2?', { isLast: true });
      await durable.closed(durable.sessionHandle);

      expect(await durable.ask('And this.', { id })).toMatchObject({ num_turns: 0 });
      durable.model.assertConsumed();
    }));
});

test('a message that comes while a tool runs is folded into the running query as a reminder', () =>
  withDurable({ script: [calls(heldCommand()), says('Done both.')] }, async (durable) => {
    const first = await durable.say('Work.');
    await fileIn(durable.project, 'started');
    const second = await durable.steer(first, 'And greet.');
    go(durable);
    await durable.resultOf(first);

    expect(JSON.stringify(durable.requestMessages[1])).toMatch(
      /tool_result.*<system-reminder>.*And greet\./,
    );
    expect(startedQueries(durable)).toEqual([first]);
    expect(await durable.idle()).toMatchObject({ waiting: [] });
    expect(await durable.session.findRecord(second)).toMatchObject({ type: 'attachment' });
  }));

test('a message that comes with the last text gets a query of its own', () =>
  withDurable(
    { script: [{ ...says('First.'), hold: 'last' }, says('Second.')] },
    async (durable) => {
      const first = await durable.say('1?');
      await durable.model.waitUntilHeld('last');
      const second = await durable.say('2?');
      durable.model.release('last');

      expect(await durable.resultOf(first)).toMatchObject({ result: 'First.' });
      expect(await durable.resultOf(second)).toMatchObject({ result: 'Second.' });
    },
  ));

test('a message that waits when the turn limit is reached is not lost', () =>
  withDurable({ script: [calls(heldCommand()), says('Second.')] }, async (durable) => {
    const first = await durable.say('Work.', { options: { maxTurns: 1 } });
    await fileIn(durable.project, 'started');
    const second = await durable.say('2?');
    go(durable);

    expect(await durable.resultOf(first)).toMatchObject({ subtype: 'error_max_turns' });
    expect(await durable.resultOf(second)).toMatchObject({ result: 'Second.' });
  }));

test('messages that wait behind a query are answered in order, the later ones by the query before them', () =>
  withDurable(
    {
      script: [
        { ...says('First.'), hold: 'last' },
        calls(heldCommand()),
        says('Second and third.'),
      ],
    },
    async (durable) => {
      await durable.say('1?');
      await durable.model.waitUntilHeld('last');
      const second = await durable.say('2?');
      const third = await durable.say('3?');
      durable.model.release('last');
      await whenStatus(durable.queryHandle(second), ({ waiting }) => waiting.includes(third));
      go(durable);
      await durable.resultOf(second);

      expect(JSON.stringify(durable.requestMessages[2])).toMatch(/2\?.*<system-reminder>.*3\?/);
      expect(await durable.idle()).toMatchObject({ waiting: [] });
    },
  ));

describe('a session ends', () => {
  test('when it has had nothing to do for its idle time', () =>
    withDurable({ script: [says('Hello.')], idleMs: 300 }, async (durable) => {
      await durable.ask('Hi');

      expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
    }));

  test('with its last message when the client waits for no other', () =>
    withDurable({ script: [says('Hello.')] }, async (durable) => {
      await durable.ask('Hi', { isLast: true });

      expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
    }));

  test('when it is released, but not before its queries have ended', () =>
    withDurable({ script: [{ ...says('Hello.'), hold: 'slow' }] }, async (durable) => {
      const id = await durable.say('Hi');
      await durable.model.waitUntilHeld('slow');
      await durable.agent.release(durable.sessionId);
      expect(await durable.agent.isRunning(durable.sessionId)).toBe(true);
      durable.model.release('slow');

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Hello.' });
      expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
    }));

  test('and is started again by the next message, with its context', () =>
    withDurable({ script: [says('One.'), says('Two.')] }, async (durable) => {
      await durable.ask('1?', { isLast: true });
      await durable.closed(durable.sessionHandle);

      expect(await durable.ask('2?')).toMatchObject({ result: 'Two.' });
      expect(durable.requestMessages[1]).toHaveLength(3);
    }));
});
