// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adjust } from '../../../src/cli/operator/adjust';
import { pause } from '../../../src/cli/operator/pause';
import { selectSession, selectSessions } from '../../../src/cli/operator/select-sessions';
import { steer } from '../../../src/cli/operator/steer';
import { withDurable, type Durable } from '../../support/durable';
import { operate, parsedAs } from '../../support/operator-world';
import { calls, fileIn, heldCommand, says } from '../../support/replies';

const WORK = [calls(heldCommand()), says('Done.')];

/** A session whose first tool runs. */
async function atWork(durable: Durable): Promise<string> {
  const id = await durable.say('Work.', { options: { maxTurns: 10 } });
  await fileIn(durable.project, 'started');
  return id;
}

const go = ({ project }: Durable): void => writeFileSync(join(project, 'go'), '');

test('steer, budget, set, pause and resume do what they say, by a prefix of the id', () =>
  withDurable({ script: WORK }, async (durable) => {
    const id = await atWork(durable);
    const prefix = durable.sessionId.slice(0, 12);

    const steered = await operate(durable, parsedAs('steer', 'steer', prefix, 'And hurry.'), steer);
    const budget = await operate(
      durable,
      parsedAs('adjust', 'budget', prefix, '--turns', '20', '--usd', '5'),
      adjust,
    );
    const set = await operate(
      durable,
      parsedAs(
        'adjust',
        'set',
        prefix,
        '--model',
        'claude-opus-4-6',
        '--max-turns',
        '30',
        '--json',
      ),
      adjust,
    );
    const paused = await operate(durable, parsedAs('pause', 'pause', prefix), pause);
    const resumed = await operate(durable, parsedAs('resume', 'resume', prefix, '--json'), pause);
    go(durable);

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    expect(steered.text).toContain('heard after the tools that run now');
    expect(budget.text).toMatch(/of 5 USD, \d+ tokens, turn 1 of 20, /);
    expect(JSON.parse(set.text)).toMatchObject({ error: null, use: { turns: 1 } });
    expect(paused.text).toContain('is held before its next turn');
    expect(JSON.parse(resumed.text)).toEqual({ sessionId: durable.sessionId, paused: false });
    expect(durable.model.requests[1]?.body.model).toBe('claude-opus-4-6');
    expect(JSON.stringify(durable.requestMessages[1])).toContain('And hurry.');
  }));

test('what is told of a raised budget is what the query has heard, not what it knew before', () =>
  withDurable({ script: WORK }, async (durable) => {
    const id = await atWork(durable);
    const { agent } = durable;
    const known = await agent.queryStatus(durable.sessionId);
    const late = jest.spyOn(agent, 'queryStatus').mockResolvedValueOnce(known);

    const command = parsedAs('adjust', 'budget', durable.sessionId, '--usd', '5');
    const budget = await operate(durable, command, adjust);
    go(durable);

    expect(late.mock.calls.length).toBeGreaterThan(1);
    expect(budget.text).toMatch(/of 5 USD/);
    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
  }));

test('a session that does nothing says so, with the cure', () =>
  withDurable({ script: [] }, async (durable) => {
    const { sessionId } = durable;
    const change = parsedAs('adjust', 'set', sessionId, '--max-turns', '3');

    const set = await operate(durable, change, adjust);

    expect(set).toMatchObject({ exitCode: 1, text: expect.stringContaining('--resume') as string });
    await expect(operate(durable, parsedAs('pause', 'pause', sessionId), pause)).rejects.toThrow(
      /nothing to pause: .* does not run/,
    );
    await expect(
      operate(durable, parsedAs('steer', 'steer', sessionId, 'Hurry.'), steer),
    ).rejects.toThrow(/is not at work.*--resume/);
  }));

describe('sessions are selected', () => {
  const world = ({ store, client }: Durable) => ({ store, client, among: 'any' as const });

  test('by their id, by a prefix, by a query; each once', () =>
    withDurable({ script: [says('Hello.')] }, async (durable) => {
      await durable.ask('Hi');
      const { sessionId } = durable;
      const query = `WorkflowId STARTS_WITH "${durable.sessionWorkflowId}"`;
      while ((await durable.client.workflow.count(query)).count < 2);

      const found = await selectSessions([query, sessionId.slice(0, 8), sessionId], world(durable));

      expect(found).toEqual([durable.session.meta]);
    }));

  test.each([
    [randomUUID(), /^No session has the id/],
    ['ffffffff-ffff', /^No session begins with/],
    ['WorkflowType = "none"', /^No session matches/],
    ['Nothing = = 1', /^The server refused the visibility query/],
    ['nonsense!', /is neither a session id, nor the beginning of one/],
  ])('%s: an error says what was not found, and how to look', (selector, message) =>
    withDurable({ script: [] }, async (durable) => {
      await expect(selectSessions([selector], world(durable))).rejects.toThrow(message);
    }),
  );

  test('a prefix of several is refused, with their ids', () =>
    withDurable({ script: [] }, async ({ store, session, client }) => {
      const twins = [
        'a0000000-0000-4000-8000-000000000001',
        'a0000000-0000-4000-8000-000000000002',
      ];
      for (const sessionId of twins) await store.createSession({ ...session.meta, sessionId });

      const found = selectSession('a0000000', { store, client, among: 'any' });

      await expect(found).rejects.toThrow(/2 sessions begin with a0000000[^]*0001[^]*0002/);
    }));
});
