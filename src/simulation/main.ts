import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStatusLine } from '../progress/status-line';
import { WorkProgress } from '../progress/work-progress';
import { FAULTS } from './faults';
import { simulate, type SimulatedHistory } from './simulate';

const USAGE = `Usage: npm run simulate -- [--seeds N] [--from SEED]   histories of N seeds in a row (2000, from 1)
       npm run simulate -- --seed SEED [--trace]       one of them again, step by step`;

const write = (text: string): unknown => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '2000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const isBroken =
    values.seed === undefined
      ? await playMany(toCount(values.from), toCount(values.seeds))
      : await playOne(toCount(values.seed), values.trace);
  process.exitCode = isBroken ? 1 : 0;
}

async function playOne(seed: number, isTraced: boolean): Promise<boolean> {
  const history = await simulate({ seed, ...(isTraced && { trace: write }) });
  write(JSON.stringify(history, null, 2));
  return history.violations.length > 0;
}

async function playMany(from: number, seeds: number): Promise<boolean> {
  const startedAt = performance.now();
  const line = await openStatusLine(process.stderr, process.env);
  const progress = new WorkProgress(line, {
    title: 'simulation:',
    unit: 'seeds',
    failure: 'broken',
  });
  progress.begin(seeds);
  // A process that a signal ends would leave its line on the screen.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const histories: SimulatedHistory[] = [];
  let isBroken = false;
  for (let seed = from; seed < from + seeds; seed++) {
    const history = await simulate({ seed });
    histories.push(history);
    progress.at(histories.length);
    // Signals are heard between two histories.
    await setImmediate();
    if (history.violations.length === 0) continue;
    // One trace is enough to begin with; each of the others can be had by its seed.
    progress.failed();
    progress.clear();
    if (!isBroken) await playOne(seed, true);
    isBroken = true;
    for (const violation of history.violations) write(`seed ${seed}: ${violation}`);
  }
  progress.end();
  const total = (of: (history: SimulatedHistory) => number) =>
    histories.reduce((sum, history) => sum + of(history), 0);
  const faults = FAULTS.map((fault) => `${total((one) => one.faults[fault])} × ${fault}`);
  const perSecond = (seeds * 1_000) / (performance.now() - startedAt);
  write(
    `${seeds} seeds from ${from}, ${total((one) => Math.min(1, one.violations.length))} with violations; ` +
      `${total((one) => one.steps)} steps, ${faults.join(', ')}; ` +
      `${total((one) => one.calls)} tool calls, ${total((one) => one.unknownCalls)} of them unknown; ` +
      `${perSecond.toFixed(1)} seeds/s`,
  );
  return isBroken;
}

function toCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${JSON.stringify(text)} is no count.\n${USAGE}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
