// Needs: a Temporal server (started by the run).
import { withDurable, type Durable } from '../support/durable';
import { eventsOf, runsOf, type HistoryEvent } from '../support/histories';
import { call, calls, says } from '../support/replies';

const HOUR_MS = 3_600_000;
const sleep = (ms: number) => call('Sleep', { duration_ms: ms });

const historyOf = async (durable: Durable, id: string): Promise<readonly HistoryEvent[]> =>
  eventsOf(await runsOf(durable.client, durable.queryHandle(id).workflowId));

/** Resolves when so many timers of the query run; the test's own time limit is the deadline. */
async function asleep(durable: Durable, id: string, sleepers = 1): Promise<void> {
  await durable.told((entry) => entry.type === 'tool_started');
  for (;;) {
    const events = await historyOf(durable, id);
    const timers = events.filter(({ timerStartedEventAttributes: timer }) => timer != null);
    if (timers.length === sleepers) return;
  }
}

test('an agent sleeps on a timer of the server, and goes on by itself', () =>
  withDurable({ script: [calls(sleep(50)), says('Rested.')] }, async (durable) => {
    const result = await durable.ask('Rest.');

    expect(result).toMatchObject({ result: 'Rested.', subtype: 'success' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/Slept \d+ m?s/);
  }));

test('no Activity runs while an agent sleeps, so that every Worker may go', () =>
  withDurable({ script: [calls(sleep(HOUR_MS)), says('Rested.')] }, async (durable) => {
    const id = await durable.say('Rest.');
    await asleep(durable, id);
    const { pendingActivities } = (await durable.queryHandle(id).describe()).raw;
    await durable.stopServing();
    await durable.serve();
    await durable.say('Get up!');

    expect(pendingActivities ?? []).toEqual([]);
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Rested.' });
  }));

test('a message wakes it, and is heard with the next request', () =>
  withDurable({ script: [calls(sleep(HOUR_MS)), says('Here I am.')] }, async (durable) => {
    const id = await durable.say('Rest.');
    await asleep(durable, id);
    await durable.say('Get up!');

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Here I am.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(
      /Woken after .*the user has written.*Get up!/,
    );
  }));

test('an interrupt ends the sleep and the query', () =>
  withDurable({ script: [calls(sleep(HOUR_MS)), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Rest.');
    await asleep(durable, id);
    await durable.agent.interrupt(durable.sessionId, 'user');

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/tool_result.*is_error.*Next\./);
  }));

test('two sleep side by side, and one message wakes both', () =>
  withDurable(
    { script: [calls(sleep(HOUR_MS), sleep(HOUR_MS)), says('Rested.')] },
    async (durable) => {
      const id = await durable.say('Rest.');
      await asleep(durable, id, 2);
      await durable.say('Get up!');

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Rested.' });
    },
  ));
