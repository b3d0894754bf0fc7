// Needs: a Temporal server (started by the run).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryStatus } from '../../src/workflows/interface';
import type { RunOptions } from '../../src/transcript/message';
import { withDurable, type Durable } from '../support/durable';
import { whenStatus, waitsFor } from '../support/query-status';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';

const overItsLimit = (durable: Durable, id: string): Promise<QueryStatus> =>
  whenStatus(durable.queryHandle(id), waitsFor('budget'));

/** Turns that cost 0.3 USD of output each. */
const look = () => ({
  ...calls(call('Glob', { pattern: '*.none' })),
  usage: { output_tokens: 20_000 },
});
const pausing = (options: Partial<RunOptions>) => ({
  options: { ...options, onBudget: 'pause' as const },
});

describe('a query that is over its limit waits for more, and goes on when it is raised', () => {
  test.each<[name: string, crossed: string, Partial<RunOptions>, object]>([
    ['USD', 'usd', { maxBudgetUsd: 0.1 }, { maxBudgetUsd: 100 }],
    ['tokens', 'tokens', { maxTokens: 1_000 }, { maxTokens: 10_000_000 }],
    ['turns', 'turns', { maxTurns: 1 }, { maxTurns: 40 }],
    ['time', 'time', { maxMinutes: 0.000_01 }, { maxMs: null }],
  ])('%s', (_name, crossed, limits, raise) =>
    withDurable({ script: [look(), look(), says('Done.')] }, async (durable) => {
      const id = await durable.say('Look.', pausing(limits));
      const held = await overItsLimit(durable, id);
      expect(held).toMatchObject({ crossed, paused: false });
      expect(durable.model.requests.length).toBeLessThan(2);
      await durable.agent.change(durable.sessionId, raise);

      expect(await durable.resultOf(id)).toMatchObject({ subtype: 'success', result: 'Done.' });
    }),
  );
});

test('a raise that is not enough leaves the query where it is, across a rollover and another Worker', () =>
  withDurable({ script: [look(), says('Done.')], rolloverEvents: 1 }, async (durable) => {
    const id = await durable.say('Look.', pausing({ maxBudgetUsd: 0.1 }));
    await overItsLimit(durable, id);
    await durable.agent.change(durable.sessionId, { maxBudgetUsd: 0.2 });
    await whenStatus(durable.queryHandle(id), ({ limits }) => limits.maxBudgetUsd === 0.2);
    await durable.stopServing();
    await durable.serve();
    expect(await overItsLimit(durable, id)).toMatchObject({ crossed: 'usd' });
    await durable.agent.change(durable.sessionId, { maxBudgetUsd: 100 });

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
  }));

test('a query that has nothing left to do ends over its limit as well', () =>
  withDurable(
    { script: [{ ...says('Done.'), usage: { output_tokens: 20_000 } }] },
    async (durable) => {
      const result = await durable.ask('Hi', pausing({ maxBudgetUsd: 0.1 }));

      expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    },
  ));

test.each<[string, Partial<RunOptions>, object]>([
  ['money', { maxBudgetUsd: 0.1 }, { subtype: 'error_max_budget_usd' }],
  ['tokens', { maxTokens: 1_000 }, { errors: ['Reached the token limit (--max-tokens).'] }],
  ['time', { maxMinutes: 0.000_01 }, { errors: ['Reached the time limit (--max-minutes).'] }],
])('where nobody is to be asked, the query ends at its limit of %s', (_name, options, expected) =>
  withDurable({ script: [look()] }, async (durable) => {
    const result = await durable.ask('Look.', { options });

    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: 'budget_exhausted',
      ...expected,
    });
  }),
);

const AGENT = call('Agent', {
  description: 'help',
  prompt: 'Help.',
  subagent_type: 'general-purpose',
});

describe('what sub-agents use counts', () => {
  test('for the limit of their caller', () =>
    withDurable(
      {
        script: [
          calls(AGENT),
          { ...says('Helped.'), usage: { output_tokens: 20_000 } },
          says('Done.'),
        ],
      },
      async (durable) => {
        const id = await durable.say('Work.', pausing({ maxBudgetUsd: 0.1 }));
        const { tally } = await overItsLimit(durable, id);
        expect(tally.delegated?.costUsd).toBeCloseTo(0.3, 1);
        await durable.agent.change(durable.sessionId, { maxBudgetUsd: 100 });

        const result = await durable.resultOf(id);
        expect(result).toMatchObject({ result: 'Done.' });
        expect(result.total_cost_usd).toBeCloseTo(0.3, 1);
      },
    ));

  test('while they run: a raise lets a sub-agent go on that waits for it', () =>
    withDurable(
      { script: [calls(AGENT), look(), says('Helped.'), says('Done.')] },
      async (durable) => {
        const id = await durable.say('Work.', pausing({ maxBudgetUsd: 0.1 }));
        const running = await whenStatus(
          durable.queryHandle(id),
          ({ subAgents }) => subAgents.length > 0,
        );
        const [helper = ''] = running.subAgents;
        await whenStatus(durable.client.workflow.getHandle(helper), waitsFor('budget'));
        await durable.agent.change(durable.sessionId, { maxBudgetUsd: 100 });

        expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
      },
    ));
});

describe('while a query runs', () => {
  test('its model and mode change with the next turn', () =>
    withDurable(
      {
        script: [
          calls(heldCommand()),
          calls(call('Write', { file_path: 'a.txt', content: 'a' })),
          says('Done.'),
        ],
      },
      async (durable) => {
        const id = await durable.say('Work.', { options: { permissionMode: 'bypassPermissions' } });
        await fileIn(durable.project, 'started');
        await durable.agent.change(durable.sessionId, {
          model: 'claude-opus-4-6',
          permissionMode: 'dontAsk',
          maxTurns: 50,
        });
        // The session tells its query, with one Signal.
        await whenStatus(durable.queryHandle(id), ({ limits }) => limits.maxTurns === 50);
        writeFileSync(join(durable.project, 'go'), '');
        const result = await durable.resultOf(id);

        expect(durable.model.requests.map(({ body }) => body.model)).toEqual([
          'claude-sonnet-4-6',
          'claude-opus-4-6',
          'claude-opus-4-6',
        ]);
        expect(result.permission_denials).toHaveLength(1);
      },
    ));

  test('a limit of turns can be raised during its last one', () =>
    withDurable({ script: [calls(heldCommand()), says('Done.')] }, async (durable) => {
      const id = await durable.say('Work.', { options: { maxTurns: 1 } });
      await fileIn(durable.project, 'started');
      await durable.agent.change(durable.sessionId, { maxTurns: 5 });
      await whenStatus(durable.queryHandle(id), ({ limits }) => limits.maxTurns === 5);
      writeFileSync(join(durable.project, 'go'), '');

      expect(await durable.resultOf(id)).toMatchObject({ result: 'Done.' });
    }));
});

test.each<[object, RegExp]>([
  [{}, /at least one of model, permissionMode/],
  [{ maxTurns: 0 }, /'maxTurns' is 0\. It must be a whole number/],
  [{ permissionMode: 'sudo' }, /'permissionMode' is "sudo"/],
  [{ turns: 3 }, /'turns' cannot be changed/],
])('a change that cannot be made is refused with its cure: %j', (change, message) =>
  withDurable({ script: [says('Hello.')] }, async (durable) => {
    await durable.ask('Hi');
    await durable.idle();

    await expect(durable.agent.change(durable.sessionId, change)).rejects.toThrow(message);
    expect(await durable.agent.change(durable.sessionId, { maxTurns: 3 })).toBe(false);
  }),
);
