import { isReached, type Figure, type Goal, type Report } from '../report';

const HEADER = ['figure', 'unit', 'n', 'min', 'median', 'p95', 'goal', ''] as const;
const STATISTIC = { min: 'min ', median: '', p95: 'p95 ' } as const;

/** The report for a terminal. */
export function toText(report: Report): string {
  const rows = report.sections.flatMap(({ figures }) => figures.map(cellsOf));
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const sections = report.sections.map((section) =>
    [
      `${section.title} (${section.name}; load ${loadOf(section.load)})`,
      line(HEADER),
      ...section.figures.map((figure) => line(cellsOf(figure))),
      ...section.notes.map((note) => `  ${note}`),
    ].join('\n'),
  );
  return `${[headOf(report), ...sections].join('\n\n')}\n`;
}

/** The same as Markdown. */
export function toMarkdown(report: Report): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const sections = report.sections.map((section) =>
    [
      `## ${section.title}`,
      '',
      `Load ${loadOf(section.load)}.`,
      '',
      row(HEADER),
      row(HEADER.map((_, column) => (column < 2 ? '---' : '---:'))),
      ...section.figures.map((figure) => row(cellsOf(figure))),
      '',
      ...section.notes.map((note) => `- ${note}`),
    ].join('\n'),
  );
  return `${[`# Benchmark\n\n${headOf(report)}`, ...sections].join('\n\n')}\n`;
}

function cellsOf(figure: Figure): readonly string[] {
  const { name, unit, count, min, median, p95, goal } = figure;
  const reached = isReached(figure);
  const only = count === 1;
  return [
    name,
    unit,
    String(count),
    only ? '' : rounded(min),
    rounded(median),
    only ? '' : rounded(p95),
    goal === undefined ? '' : titleOf(goal),
    reached === null ? '' : reached ? 'reached' : 'not reached',
  ];
}

const titleOf = ({ statistic, isLeast, limit }: Goal): string =>
  `${STATISTIC[statistic]}${isLeast === true ? '≥' : '≤'} ${limit}`;

function headOf({ startedAt, machine }: Report): string {
  const { cores, cpu, node, platform, temporalCli } = machine;
  return `${startedAt} · ${cores} × ${cpu} · ${platform} · Node ${node} · Temporal CLI ${temporalCli}`;
}

const loadOf = ({ before, after }: { before: number; after: number }): string =>
  `${before.toFixed(1)} before, ${after.toFixed(1)} after`;

/** Three digits that count. */
export function rounded(value: number): string {
  if (value !== 0 && Math.abs(value) < 10) return value.toFixed(2);
  return Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
}
