import { rounded } from '../../src/bench/render/report-table';
import type { KillMeasured, PeersReport, TurnsMeasured } from '../measured';

const TURN_COLUMNS = [
  'entrant',
  'turns',
  'ms a turn, first ten',
  'last ten',
  'CPU ms a turn, agent',
  'engine',
  'memory MB',
  'events a turn',
  'engine KB a turn',
  'own files KB a turn',
  'last request KB',
  'end',
] as const;
const KILL_COLUMNS = ['entrant', 'effects', 'ready after s', 'next request after s', ''] as const;
/** Of an error, as much as fits into a cell. */
const ERROR_CHARS = 60;

/** The report as Markdown. */
export function toMarkdown(report: PeersReport): string {
  const { startedAt, machine, node, temporalCli, load } = report;
  return [
    `${startedAt} · ${machine} · Node ${node} · Temporal CLI ${temporalCli} · load ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`,
    '',
    ...tableOf(
      ['entrant', 'versions'],
      report.versions.map(({ entrant, versions }) => [entrant, versions]),
    ),
    '',
    ...tableOf(TURN_COLUMNS, report.turns.map(turnCells)),
    '',
    ...tableOf(KILL_COLUMNS, report.kills.map(killCells)),
    '',
    ...report.failures.map(({ entrant, part, error }) => `- ${entrant}, ${part}: ${error}`),
    '',
  ].join('\n');
}

const turnCells = (run: TurnsMeasured): readonly string[] => [
  run.entrant,
  run.turns === run.asked ? String(run.turns) : `${run.turns} of ${run.asked}`,
  rounded(run.firstTenMs),
  rounded(run.lastTenMs),
  rounded(run.agentCpuMs),
  rounded(run.engineCpuMs),
  rounded(run.rssMB),
  run.events === null ? '' : rounded(run.events),
  rounded(run.engineKB),
  run.besideKB === 0 ? '' : rounded(run.besideKB),
  rounded(run.lastRequestKB),
  run.ended === null ? 'finished' : run.ended.slice(0, ERROR_CHARS),
];

const killCells = (kill: KillMeasured): readonly string[] => [
  kill.entrant,
  String(kill.effects),
  rounded(kill.readyS),
  kill.nextRequestS === null ? 'not within 180' : rounded(kill.nextRequestS),
  (kill.error ?? '').slice(0, ERROR_CHARS),
];

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/[|\n]/g, ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)];
}
