import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openStatusLine } from '../progress/status-line';
import { WorkProgress } from '../progress/work-progress';
import { runChaos } from './chaos';
import { toText } from './report';

const USAGE = `Usage: npm run chaos -- [--minutes N] [--sessions N] [--seed N] [--patience SECONDS] [--json FILE]
N sessions at a time (20) for so many minutes (5, parts are allowed), while their Workers and the server are killed.`;

/** After trouble is over. */
const PATIENCE_S = '180';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      sessions: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      patience: { type: 'string', default: PATIENCE_S },
      json: { type: 'string' },
    },
  });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A terminal and npm may both send it.
    process.on(signal, () => stop.abort(new Error(`Chaos was ended by ${signal}.`)));
  }
  const options = {
    durationMs: toNumber('--minutes', values.minutes) * 60_000,
    sessions: toNumber('--sessions', values.sessions),
    seed: toNumber('--seed', values.seed),
    patienceMs: toNumber('--patience', values.patience) * 1_000,
  };
  const line = await openStatusLine(process.stderr, process.env);
  const progress = new WorkProgress(line, { title: 'chaos:', unit: 's', failure: 'broken' });
  const report = await runChaos({
    ...options,
    environment: process.env,
    signal: stop.signal,
    progress,
  }).finally(() => progress.end());
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  process.stdout.write(toText(report));
  process.exitCode = report.violations.length > 0 ? 1 : 0;
}

function toNumber(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && value > 0) return value;
  throw new Error(`${flag} takes a number above 0, not ${JSON.stringify(text)}.\n${USAGE}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});
