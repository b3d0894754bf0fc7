import { judge, type Violation } from './judgement';
import { nameOf, type Kill } from './kill';
import { planKills, type KillChoice } from './kill-plan';
import { runTrial, type TrialOptions, type TrialReport } from './trial';

/** One killed run. JSON. */
export interface KilledRun {
  readonly kill: Kill;
  /** As `--only` takes it. */
  readonly name: string;
  /** The failpoint that the Worker had reached last; null: none. */
  readonly lastFailpoint: string | null;
  /** false: the run was over before. */
  readonly wasKilled: boolean;
  /** Model calls beyond those of the undisturbed run. */
  readonly repeatedModelCalls: number;
  /** Ids of the calls that were reported as unknown. */
  readonly unknown: readonly string[];
  readonly afterKillMs: number | null;
  readonly violations: readonly Violation[];
}

export interface MatrixReport {
  readonly undisturbed: TrialReport;
  readonly runs: readonly KilledRun[];
}

export interface MatrixOptions {
  readonly trial: TrialOptions;
  readonly choice: KillChoice;
  /** Runs at a time. */
  readonly jobs: number;
  onUndisturbed(report: TrialReport, kills: readonly Kill[]): void;
  onRun(run: KilledRun, ended: number): void;
}

/** Runs the script undisturbed, twice, and then once per kill.
 *  Fails: Error when the undisturbed run fails, or is not twice the same. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixReport> {
  const { trial, choice, jobs } = options;
  const undisturbed = await runWithinADay(trial, null);
  const again = await runWithinADay(trial, null);
  requireSame(undisturbed, again, trial);
  // The first run of a process takes longest, and at a moment after the end nothing is left to kill.
  const durationMs = Math.min(undisturbed.durationMs, again.durationMs);
  const kills = planKills({ ...undisturbed, durationMs }, choice);
  options.onUndisturbed(undisturbed, kills);
  const runs: KilledRun[] = [];
  const left = kills.values();
  const work = async (): Promise<void> => {
    for (const kill of left) {
      trial.signal.throwIfAborted();
      const run = await runKilled(trial, kill, undisturbed);
      runs.push(run);
      options.onRun(run, runs.length);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return { undisturbed, runs };
}

/** Once more where midnight fell into it: the model is told of a new date, and that is not the crash's doing. */
async function runWithinADay(trial: TrialOptions, kill: Kill | null): Promise<TrialReport> {
  const day = utcDay();
  const report = await runTrial(trial, kill);
  return utcDay() === day ? report : runTrial(trial, kill);
}

const utcDay = (): string => new Date().toISOString().slice(0, 10);

async function runKilled(
  trial: TrialOptions,
  kill: Kill,
  undisturbed: TrialReport,
): Promise<KilledRun> {
  const name = nameOf(kill);
  try {
    const report = await runWithinADay(trial, kill);
    const { outcome, failpoints, wasKilled, afterKillMs } = report;
    return {
      kill,
      name,
      lastFailpoint: failpoints.at(-1) ?? null,
      wasKilled,
      repeatedModelCalls: outcome.modelCalls - undisturbed.outcome.modelCalls,
      unknown: outcome.unknown,
      afterKillMs,
      violations: judge({
        undisturbed: undisturbed.outcome,
        killed: outcome,
        mayBeUnknown: wasKilled && isCallBegun(failpoints),
        mostRepeats: 1,
        ignore: trial.script.ignore,
      }),
    };
  } catch (error) {
    trial.signal.throwIfAborted();
    const detail = error instanceof Error ? error.message : String(error);
    return {
      kill,
      name,
      lastFailpoint: null,
      wasKilled: true,
      repeatedModelCalls: 0,
      unknown: [],
      afterKillMs: null,
      violations: [{ rule: 'ends', detail }],
    };
  }
}

/** The Worker had announced a call and was not seen to have started it. */
function isCallBegun(failpoints: readonly string[]): boolean {
  const last = (name: string): number => failpoints.lastIndexOf(name);
  return last('tool.intent') > Math.max(last('shell.spawn.after'), last('tool.ran'));
}

function requireSame(one: TrialReport, other: TrialReport, { script }: TrialOptions): void {
  const [difference] = judge({
    undisturbed: one.outcome,
    killed: other.outcome,
    mayBeUnknown: false,
    mostRepeats: 0,
    ignore: script.ignore,
  });
  if (difference === undefined) return;
  throw new Error(
    `Two undisturbed runs differ (${difference.rule}): ${difference.detail}\nMake the script the same each time, or name files that may differ in "ignore".`,
  );
}
