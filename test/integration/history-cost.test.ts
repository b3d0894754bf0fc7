// Needs: a Temporal server (started by the run).
import type { WorkflowHandle } from '@temporalio/client';
import type { Reply } from '../../src/scripted-model/reply';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';

interface Cost {
  readonly events: number;
  readonly bytes: number;
}

async function costOf(handle: WorkflowHandle): Promise<Cost> {
  const { historyLength: events, historySize: bytes = 0 } = await handle.describe();
  return { events, bytes };
}

const minus = (a: Cost, b: Cost): Cost => ({
  events: a.events - b.events,
  bytes: a.bytes - b.bytes,
});
const per = ({ events, bytes }: Cost, of: number): Cost => ({
  events: events / of,
  bytes: bytes / of,
});
const print = (what: string, { events, bytes }: Cost): void =>
  void process.stdout.write(`  ${what}: ${events.toFixed(1)} events, ${bytes.toFixed(0)} bytes\n`);

async function costOfQuery(turns: number): Promise<Cost> {
  const script: Reply[] = Array.from({ length: turns }, (_, index) =>
    calls(call('Bash', { command: `echo ${index}` })),
  );
  let cost: Cost | undefined;
  await withDurable({ script: [...script, says('Done.')] }, async (durable) => {
    const id = await durable.say('Work.', { isLast: true });
    await durable.resultOf(id);
    await durable.closed(durable.queryHandle(id));
    cost = await costOf(durable.queryHandle(id));
  });
  return cost ?? { events: Number.NaN, bytes: Number.NaN };
}

test('a turn with one tool costs at most 12 events and 2.2 KB of history, however many there were', async () => {
  const [none, ten, twenty] = [await costOfQuery(0), await costOfQuery(10), await costOfQuery(20)];

  const firstTen = per(minus(ten, none), 10);
  const lastTen = per(minus(twenty, ten), 10);
  print('a query without tools', none);
  print('a turn, of the first ten', firstTen);
  print('a turn, of the last ten', lastTen);
  expect(firstTen.events).toBeLessThanOrEqual(12);
  expect(lastTen.events).toBeLessThanOrEqual(12);
  expect(firstTen.bytes).toBeLessThanOrEqual(2_200);
  expect(lastTen.bytes).toBeLessThanOrEqual(2_200);
});

test('a message costs at most 40 events and 10 KB of history, the 50th as much as the 5th', async () => {
  const messages = 50;
  const script = Array.from({ length: messages }, (_, index) => says(`Answer ${index}.`));
  const costs: Cost[] = [];
  await withDurable({ script, rolloverEvents: 10_000 }, async (durable) => {
    for (let session = { events: 0, bytes: 0 }, number = 1; number <= messages; number += 1) {
      const id = await durable.say(`Question ${number}?`);
      await durable.resultOf(id);
      await durable.closed(durable.queryHandle(id));
      const now = await settledCost(durable);
      const query = await costOf(durable.queryHandle(id));
      costs.push({
        events: now.events - session.events + query.events,
        bytes: now.bytes - session.bytes + query.bytes,
      });
      session = now;
    }
  });

  // Two things that the session hears at the end of a query come in one task of it, or in two.
  const [fifth, fiftieth] = [dearest(costs.slice(1, 10)), dearest(costs.slice(40))];
  print('message 1', costs[0] ?? fifth);
  print('dearest of messages 2 to 10', fifth);
  print('dearest of messages 41 to 50', fiftieth);
  for (const { events, bytes } of costs) {
    expect(events).toBeLessThanOrEqual(40);
    expect(bytes).toBeLessThanOrEqual(10_000);
  }
  expect(fiftieth.events).toBeLessThanOrEqual(fifth.events + 3);
  expect(fiftieth.bytes).toBeLessThanOrEqual(fifth.bytes * 1.05);
});

const dearest = (costs: readonly Cost[]): Cost => ({
  events: Math.max(...costs.map(({ events }) => events)),
  bytes: Math.max(...costs.map(({ bytes }) => bytes)),
});

/** The session hears of a query's end twice; its history rests when both are handled. */
async function settledCost({ sessionHandle }: Durable): Promise<Cost> {
  for (;;) {
    const { raw } = await sessionHandle.describe();
    const isQuiet = raw.pendingWorkflowTask == null && (raw.pendingChildren ?? []).length === 0;
    if (isQuiet) return costOf(sessionHandle);
  }
}
