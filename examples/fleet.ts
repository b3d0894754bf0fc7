/** A fleet of agents, each in a folder of its own and with a budget. One that has used up its budget waits, with all
 *  that it has done, until somebody raises the limit or stops it; the others go on.
 *  Run: npx tsx examples/fleet.ts */
import { setTimeout as wait } from 'node:timers/promises';
import { createWorker, type AgentSession, type AgentWorker } from 'everloop';
import { calls, openStage, says } from './stage/stage';

/** What each may spend at first, and what becomes of it at that limit: a larger one, or the end (null). */
const AGENTS = [
  { name: 'north', usd: 2, raisedToUsd: 4 },
  { name: 'east', usd: 2, raisedToUsd: 4 },
  { name: 'south', usd: 0.1, raisedToUsd: 2 },
  { name: 'west', usd: 0.1, raisedToUsd: null },
] as const;
const MOST_TURNS = 10;

const TASK = 'Read sales.csv, write the total into total.txt, and say it in one sentence.';

/** What a scripted model does about it. These output tokens cost some 15 cents a turn. */
const usage = { output_tokens: 10_000 };
const REPLIES = [
  { ...calls(['Read', { file_path: 'sales.csv' }]), usage },
  { ...calls(['Write', { file_path: 'total.txt', content: '46\n' }]), usage },
  says('46 fruits were sold.'),
];

interface Member {
  readonly name: string;
  readonly raisedToUsd: number | null;
  readonly session: AgentSession;
  readonly messageId: string;
}

/** Raises or stops whoever waits at its limit, until the signal aborts. */
async function supervise(
  { client }: AgentWorker,
  fleet: readonly Member[],
  signal: AbortSignal,
): Promise<void> {
  const decided = new Set<string>();
  while (!signal.aborted) {
    for (const { name, raisedToUsd, session } of fleet) {
      if (decided.has(name)) continue;
      // A Worker that has too much to do answers the next time.
      const status = await client.queryStatus(session.sessionId).catch(() => undefined);
      if (status?.waitingFor !== 'budget' || status.crossed !== 'usd') continue;
      decided.add(name);
      console.log(`  ${name} is over its ${String(status.limits.maxBudgetUsd)} USD:`);
      if (raisedToUsd === null) {
        console.log('    it is stopped');
        await client.stop(session.sessionId);
      } else {
        console.log(`    it may spend ${String(raisedToUsd)} USD in all, and goes on`);
        await client.change(session.sessionId, { maxBudgetUsd: raisedToUsd });
      }
    }
    await wait(200);
  }
}

async function main(): Promise<void> {
  const stage = await openStage(REPLIES);
  const worker = await createWorker({
    agents: [],
    // A program that goes on with its sessions when it is started again has a queue with a name that stays.
    taskQueue: `fleet-${String(process.pid)}`,
    environment: stage.environment,
  });
  const allDone = new AbortController();
  try {
    const fleet = await Promise.all(
      AGENTS.map(async ({ name, usd, raisedToUsd }): Promise<Member> => {
        const cwd = stage.folder(name, { 'sales.csv': 'apples,12\npears,30\nplums,4\n' });
        const session = await worker.openSession({
          cwd,
          options: {
            permissionMode: 'acceptEdits',
            maxBudgetUsd: usd,
            maxTurns: MOST_TURNS,
            onBudget: 'pause',
          },
        });
        return { name, raisedToUsd, session, messageId: await session.say(TASK, { isLast: true }) };
      }),
    );
    console.log(`${String(fleet.length)} agents are at work.`);
    const supervised = supervise(worker, fleet, allDone.signal);
    const results = await Promise.all(
      fleet.map(({ session, messageId }) => session.resultOf(messageId)),
    );
    allDone.abort();
    await supervised;

    const rows = results.map(({ terminal_reason, num_turns, total_cost_usd, result }, index) => ({
      agent: fleet[index]?.name,
      ended: terminal_reason,
      turns: num_turns,
      usd: Number(total_cost_usd.toFixed(2)),
      answer: result ?? '-',
    }));
    console.table(rows);
    const usd = rows.reduce((sum, row) => sum + row.usd, 0);
    const turns = rows.reduce((sum, row) => sum + row.turns, 0);
    console.log(`In all: ${String(turns)} turns, ${usd.toFixed(2)} USD.`);
  } finally {
    await worker.stop();
    await stage.close();
  }
}

void main();
