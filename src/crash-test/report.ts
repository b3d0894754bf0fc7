import type { Kill } from './kill';
import type { KilledRun, MatrixReport } from './matrix';

/** The report as `--json` writes it. */
export interface CrashReport {
  readonly schema: 1;
  readonly script: string;
  readonly startedAt: string;
  readonly seed: number;
  readonly tookMs: number;
  readonly undisturbed: {
    readonly durationMs: number;
    /** Names of those that the Worker reached, in order. */
    readonly failpoints: readonly string[];
    readonly events: Readonly<Record<string, number>>;
    readonly modelCalls: number;
    readonly effects: Readonly<Record<string, number>>;
  };
  readonly totals: Readonly<Record<Kill['type'], Totals>>;
  readonly runs: readonly KilledRun[];
}

export interface Totals {
  readonly runs: number;
  /** Those in which the Worker was killed before the end. */
  readonly kills: number;
  readonly unknown: number;
  /** Model calls that were made again, over all runs. */
  readonly repeatedModelCalls: number;
  readonly violations: number;
}

const TYPES = ['failpoint', 'event', 'moment'] as const;

export function toCrashReport(
  { undisturbed, runs }: MatrixReport,
  of: Pick<CrashReport, 'script' | 'startedAt' | 'seed' | 'tookMs'>,
): CrashReport {
  const { outcome, durationMs, failpoints, events } = undisturbed;
  const { modelCalls, effects } = outcome;
  const total = (type: Kill['type']): Totals =>
    totalsOf(runs.filter((run) => run.kill.type === type));
  return {
    schema: 1,
    ...of,
    undisturbed: { durationMs, failpoints, events, modelCalls, effects },
    totals: { failpoint: total('failpoint'), event: total('event'), moment: total('moment') },
    runs,
  };
}

function totalsOf(runs: readonly KilledRun[]): Totals {
  const count = (is: (run: KilledRun) => boolean): number => runs.filter(is).length;
  return {
    runs: runs.length,
    kills: count(({ wasKilled }) => wasKilled),
    unknown: count(({ unknown }) => unknown.length > 0),
    repeatedModelCalls: runs.reduce((sum, run) => sum + Math.max(0, run.repeatedModelCalls), 0),
    violations: count(({ violations }) => violations.length > 0),
  };
}

const HEADINGS = ['killed at', 'runs', 'kills', 'unknown', 'calls repeated', 'violations'] as const;
const NAMES: Readonly<Record<Kill['type'], string>> = {
  failpoint: 'a failpoint',
  event: 'a history event',
  moment: 'a random moment',
};

/** For people: one line a kind of kill, then every broken promise with the command that repeats it alone. */
export function toText(report: CrashReport): string {
  const { script, totals, runs } = report;
  const all = totalsOf(runs);
  const rows = [
    ...TYPES.filter((type) => totals[type].runs > 0).map((type) =>
      toRow(NAMES[type], totals[type]),
    ),
    toRow('all', all),
  ];
  const broken = runs.flatMap((run) => toLines(run, script));
  const recovery = recoveryOf(runs);
  const end =
    all.violations === 0 ? 'Every promise was kept.' : `${all.violations} runs broke a promise.`;
  return [toTable([[...HEADINGS], ...rows]), recovery, ...broken, end, ''].join('\n');
}

const toRow = (name: string, totals: Totals): readonly string[] => [
  name,
  ...[totals.runs, totals.kills, totals.unknown, totals.repeatedModelCalls, totals.violations].map(
    String,
  ),
];

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_heading, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return rows.map(toLine).join('\n');
}

/** Time from a kill to the end of the run, which the rest of the work is part of. */
function recoveryOf(runs: readonly KilledRun[]): string {
  const times = runs.flatMap(({ afterKillMs }) => afterKillMs ?? []).sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0;
  return `From the kill to the end of the run: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms.`;
}

function toLines({ name, lastFailpoint, violations }: KilledRun, script: string): string[] {
  if (violations.length === 0) return [];
  return [
    `BROKEN  killed at ${name} (last failpoint: ${lastFailpoint ?? 'none'})`,
    ...violations.map(({ rule, detail }) => `        ${rule}: ${detail}`),
    `        again: everloop crash-test ${script} --only ${name}`,
  ];
}
