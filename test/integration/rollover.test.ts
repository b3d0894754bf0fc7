// Needs: a Temporal server (started by the run).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply } from '../../src/scripted-model/reply';
import { withDurable, type Durable } from '../support/durable';
import { plainText, runsOf } from '../support/histories';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';

/** Of every kind of transition that needs no failing API one, and what Signals bring. */
const SCRIPT: readonly Reply[] = [
  calls(
    text('Both at once.'),
    call('Read', { file_path: 'a.txt' }),
    call('Read', { file_path: 'b.txt' }),
  ),
  calls(
    call('Write', { file_path: 'c.txt', content: 'c' }),
    call('Bash', { command: 'mkdir -p sub && cd sub' }),
  ),
  { ...says('A long'), stop_reason: 'max_tokens' },
  calls(call('Bash', { command: 'pwd' })),
  calls(heldCommand()),
  says('All of it.'),
];

let project: string;
beforeEach(() => {
  project = join(mkdtempSync(join(tmpdir(), 'everloop-rollover-')), 'project');
});
afterEach(() => rmSync(join(project, '..'), { recursive: true }));

/** The same work in the same folder. */
async function work(rolloverEvents: number, look: (durable: Durable, id: string) => Promise<void>) {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(project, name), name);
  await withDurable({ script: SCRIPT, rolloverEvents, project }, async (durable) => {
    const id = await durable.say('Work.');
    await fileIn(join(project, 'sub'), 'started');
    await durable.steer(id, 'And hurry.');
    writeFileSync(join(project, 'sub', 'go'), '');
    await durable.resultOf(id);
    durable.model.assertConsumed();
    await look(durable, id);
  });
}

test('a rollover at every transition sends the same messages to the model as none', async () => {
  const sent: Record<number, string> = {};
  const runs: Record<number, number> = {};
  for (const rolloverEvents of [10_000, 1]) {
    await work(rolloverEvents, async (durable, id) => {
      sent[rolloverEvents] = JSON.stringify(durable.requestMessages);
      const { workflowId } = durable.queryHandle(id);
      runs[rolloverEvents] = (await runsOf(durable.client, workflowId)).length;
    });
  }

  expect(sent[1]).toBe(sent[10_000]);
  expect(sent[1]).toContain('And hurry.');
  expect(runs).toEqual({ 10_000: 1, 1: SCRIPT.length });
});

test('a session that has rolled over under its query still tells it, and hears of its end', () =>
  work(1, async (durable) => {
    const runs = await runsOf(durable.client, durable.sessionWorkflowId);

    expect(runs.length).toBeGreaterThan(1);
    expect(await durable.idle()).toMatchObject({ waiting: [] });
  }));

test('totals and limits count across rollovers', () =>
  withDurable(
    {
      script: [1, 2, 3].map(() => calls(call('Glob', { pattern: '*.none' }))),
      rolloverEvents: 1,
    },
    async (durable) => {
      const result = await durable.ask('Look.', { options: { maxTurns: 3 } });

      expect(result).toMatchObject({ subtype: 'error_max_turns', num_turns: 4 });
      expect(result.usage.output_tokens).toBe(
        durable.model.requests.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), 0),
      );
    },
  ));

test('a hundred turns: no run is longer than its limit, and each begins with as little as the second', () =>
  withDurable(
    {
      script: [
        ...Array.from({ length: 100 }, () => calls(call('Glob', { pattern: '*.none' }))),
        says('Done.'),
      ],
      rolloverEvents: 100,
    },
    async (durable) => {
      const id = await durable.say('Look.');
      await durable.resultOf(id);
      const runs = await runsOf(durable.client, durable.queryHandle(id).workflowId);

      const lengths = runs.map(({ history }) => history.events?.length ?? 0);
      expect(lengths.length).toBeGreaterThan(10);
      expect(Math.max(...lengths)).toBeLessThan(120);
      const carried = runs
        .slice(1)
        .map(({ history }) => plainText(history.events?.slice(0, 1) ?? []).length);
      expect(Math.max(...carried)).toBeLessThan(carried[0]! * 1.05);
    },
  ));
