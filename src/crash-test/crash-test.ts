import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config';
import type { StatusLine } from '../progress/status-line';
import { WorkProgress } from '../progress/work-progress';
import type { CliSearch } from '../server/find-cli';
import { loadCrashScript } from './crash-script';
import type { KillChoice } from './kill-plan';
import { runMatrix } from './matrix';
import { toCrashReport, toText } from './report';
import { startRig } from './rig';
import { WorkerPool } from './worker-pool';

export interface CrashTestOptions {
  /** Path of the script. */
  readonly script: string;
  readonly choice: KillChoice;
  /** Runs at a time. */
  readonly jobs: number;
  /** A run that takes longer has failed. */
  readonly patienceMs: number;
  /** File for the report; null: none. */
  readonly json: string | null;
}

export interface CrashTestDeps {
  readonly config: Config;
  readonly cli: CliSearch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): Promise<void> };
  readonly statusLine: StatusLine;
  /** Ends it early; what it started is ended first. */
  readonly signal: AbortSignal;
}

/** Runs a script undisturbed and once per kill, and compares. Exit code 1 when a promise was broken. */
export async function crashTest(options: CrashTestOptions, deps: CrashTestDeps): Promise<number> {
  const { choice, jobs, patienceMs, json } = options;
  const { signal } = deps;
  const startedAt = new Date();
  const scriptFile = path.resolve(options.script);
  const script = await loadCrashScript(scriptFile);
  const rig = await startRig(deps.config, deps.cli, deps.environment);
  const { store: storeUrl } = deps.config;
  const environment = {
    ...inherited(deps.environment),
    ...(storeUrl && ofPostgres(deps.environment)),
    ...rig.environment,
    ...script.environment,
  };
  const workers = new WorkerPool({ script: scriptFile, environment });
  const progress = new WorkProgress(deps.statusLine, {
    title: 'crash test:',
    unit: 'kills',
    failure: 'broken',
    leastDone: jobs + 1,
  });
  try {
    progress.at(0, 'undisturbed');
    let kills = 0;
    const matrix = await runMatrix({
      trial: {
        rig,
        workers,
        script,
        environment,
        storeUrl,
        patienceMs,
        signal,
      },
      choice,
      jobs,
      onUndisturbed({ failpoints, events, durationMs, outcome }, planned) {
        kills = planned.length;
        const eventCount = Object.values(events).reduce((sum, count) => sum + count, 0);
        progress.say(
          `undisturbed: ${durationMs} ms, ${outcome.modelCalls} model calls, ${failpoints.length} failpoints, ${eventCount} history events; ${kills} kills follow, seed ${choice.seed}`,
        );
        progress.begin(kills);
      },
      onRun({ name, violations }, ended) {
        const broken = violations.map(({ rule }) => rule).join(', ');
        if (broken !== '') {
          progress.failed();
          progress.say(`${ended} of ${kills}: ${name} BROKEN (${broken})`);
        }
        progress.at(ended, name);
      },
    });
    const tookMs = Date.now() - startedAt.getTime();
    const report = toCrashReport(matrix, {
      script: options.script,
      startedAt: startedAt.toISOString(),
      seed: choice.seed,
      tookMs,
    });
    if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
    progress.end();
    await deps.stdout.write(toText(report));
    return matrix.runs.some(({ violations }) => violations.length > 0) ? 1 : 0;
  } finally {
    progress.end();
    await workers.close();
    await rig.close();
  }
}

/** What a script needs beyond these it names itself: no setting of the user's may change a run. */
const INHERITED = ['PATH', 'LANG', 'TMPDIR', 'NODE_OPTIONS', 'NODE_PATH'];

const inherited = (environment: CrashTestDeps['environment']): CrashTestDeps['environment'] =>
  Object.fromEntries(INHERITED.map((name) => [name, environment[name]]));

/** What the driver reads beside the URL. Each run has a home folder of its own, so its `~` is not the user's. */
const ofPostgres = (environment: CrashTestDeps['environment']): CrashTestDeps['environment'] => ({
  PGPASSFILE: path.join(environment['HOME'] ?? '', '.pgpass'),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('PG'))),
});
