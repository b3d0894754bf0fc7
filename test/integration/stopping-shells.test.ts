// Needs: a Temporal server (started by the run).
import { processesIn } from '../../src/bench/processes-in';
import { LiveSession } from '../../src/cli/live-session';
import { withDurable, type Durable } from '../support/durable';
import { hostOf } from '../support/operator-world';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const begin = call('Bash', {
  command: 'touch begun; exec sleep 600',
  run_in_background: true,
});

const STOPS: readonly (readonly [string, (durable: Durable) => Promise<unknown>])[] = [
  ['the stop of a client', ({ agent, sessionId }) => agent.stop(sessionId)],
  ["Temporal's Cancel", ({ sessionHandle }) => sessionHandle.cancel()],
];

describe.each(STOPS)('%s', (_name, stop) => {
  test('ends the background shells of a session that has nothing to do', () =>
    withDurable({ script: [calls(begin), says('It runs.')] }, async (durable) => {
      await durable.ask('Begin.');
      await fileIn(durable.project, 'begun');
      await stop(durable);

      expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
      expect(processesIn(durable.project)).toEqual([]);
    }));

  test('ends the running query, its shells, and what waits; the next message is answered', () =>
    withDurable(
      { script: [calls(begin), calls(heldCommand()), says('Fine.')] },
      async (durable) => {
        const id = await durable.say('Begin.');
        await fileIn(durable.project, 'started');
        await durable.say('Never mind.');
        expect(await durable.agent.waiting(durable.sessionId)).toHaveLength(1);
        await stop(durable);

        expect(await durable.closed(durable.sessionHandle)).toBe('COMPLETED');
        expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
        expect(processesIn(durable.project)).toEqual([]);
        expect(await durable.ask('Next.')).toMatchObject({ result: 'Fine.' });
        expect(JSON.stringify(durable.requestMessages.at(-1))).not.toContain('Never mind.');
      },
    ));
});

test('a stop is on record in seconds though no Worker is left to ask what waits', () =>
  withDurable({ script: [calls(heldCommand()), says('Fine.')] }, async (durable) => {
    const id = await durable.say('Begin.');
    await fileIn(durable.project, 'started');
    await durable.stopServing();
    const live = new LiveSession({
      session: durable.session,
      place: durable.store.place,
      connected: await hostOf(durable).connect(),
      worker: Promise.resolve(null),
      from: null,
      isOneShot: false,
      onEnd: async () => undefined,
      isServed: async () => false,
      findTrouble: async () => null,
      tell: () => undefined,
    });

    const begunAtMs = Date.now();
    expect(await live.stop()).toEqual([]);
    expect(Date.now() - begunAtMs).toBeLessThan(9_000);
    await live.close();
    await durable.serve();

    expect(await durable.resultOf(id)).toMatchObject({ terminal_reason: 'aborted_tools' });
  }));
