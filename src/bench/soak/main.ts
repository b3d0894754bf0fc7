import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { openStatusLine } from '../../progress/status-line';
import { WorkProgress } from '../../progress/work-progress';
import { BenchSession } from '../bench-session';
import { clockMs } from '../clock';
import { oneToolTurns } from '../model/one-tool-turns';
import { rssBytesOf } from '../process-usage';
import { startRig, type Rig } from '../rig';
import { whileServed } from '../served';
import { patienceMs } from '../turn-run';
import { parseSoakOptions, USAGE, type SoakOptions } from './options';
import { ClosedRuns, timesOf, type Stretch } from './stretch';
import { tableHead, tableLine, toSummary } from './table';

const MB = 1_000_000;

/** One query of very many turns, with figures as it goes. Ctrl-C ends it with the summary so far. */
async function main(): Promise<void> {
  const options = parseSoakOptions(process.argv.slice(2));
  const line = await openStatusLine(process.stderr, process.env);
  const rig = await startRig(process.env, (text) => line.say(text));
  const progress = new WorkProgress(line, { title: 'soak:', unit: 'turns', failure: 'failed' });
  const print = (text: string): void => {
    progress.clear();
    process.stdout.write(`${text}\n`);
  };
  const stopped = new Promise<'stopped'>((resolve) => {
    // A terminal and npm may both send it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => resolve('stopped'));
  });
  const startedAtMs = clockMs();
  const stretches: Stretch[] = [];
  try {
    print(`${options.turns} one-tool turns in one query; load ${loadOf()}.`);
    print(tableHead());
    progress.begin(options.turns);
    const watch = setInterval(() => progress.at(turnOf(rig, options)), 1_000).unref();
    await soak(rig, options, stopped, (stretch) => {
      stretches.push(stretch);
      print(tableLine(stretch));
    }).finally(() => clearInterval(watch));
  } finally {
    progress.end();
    print(`${toSummary(stretches, (clockMs() - startedAtMs) / 1_000)}\nLoad ${loadOf()}.`);
    if (options.json !== null) {
      writeFileSync(options.json, `${JSON.stringify(stretches, null, 2)}\n`);
    }
    await rig.close();
  }
}

async function soak(
  rig: Rig,
  { turns, every }: SoakOptions,
  stopped: Promise<'stopped'>,
  onStretch: (stretch: Stretch) => void,
): Promise<void> {
  const { model, connected, serverPid, project } = rig;
  await whileServed(rig, async ({ pid }) => {
    const session = await BenchSession.create(rig);
    await model.play(oneToolTurns(turns, join(project, 'files')));
    const messageId = await session.submit('Read on.', { isLast: true });
    const runs = new ClosedRuns(connected.client, session.queryId(messageId));
    for (let turn = every; turn <= turns; turn += every) {
      const came = await Promise.race([model.request(turn, patienceMs(every)), stopped]);
      if (came === 'stopped') return;
      const turnMs = timesOf(model.arrivals, turn - every, turn);
      const [workerMB, serverMB] = [rssBytesOf(pid) / MB, rssBytesOf(serverPid) / MB];
      await runs.readOn();
      const { carried, rollovers, perTurn } = runs;
      const compactions = model.summaries.length;
      const requestKB = came.bodyBytes / 1_000;
      onStretch({
        turn,
        turnMs,
        workerMB,
        serverMB,
        carried,
        compactions,
        rollovers,
        perTurn,
        requestKB,
      });
    }
    await session.closed();
  });
}

/** The first request begins the first turn. */
const turnOf = ({ model }: Rig, { turns }: SoakOptions): number =>
  Math.min(turns, Math.max(0, model.arrivals.length - 1));

const loadOf = (): string => (loadavg()[0] ?? 0).toFixed(1);

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(1);
  },
);
