import { toPlots } from '../../bench/render/plots';
import { toMarkdown } from '../../bench/render/tables';
import type { PeersReport, TurnsMeasured } from '../../bench/measured';

const run = (of: Partial<TurnsMeasured>): TurnsMeasured => ({
  entrant: 'everloop',
  asked: 100,
  turns: 100,
  ended: null,
  firstTenMs: 50,
  lastTenMs: 51,
  windows: [
    [5.5, 50],
    [95.5, 51],
  ],
  agentCpuMs: 20,
  engineCpuMs: 15,
  rssMB: 200,
  events: 12,
  engineKB: 2,
  besideKB: 8,
  lastRequestKB: 600,
  ...of,
});

const byValue = run({
  entrant: 'by value',
  turns: 91,
  ended: 'Workflow history size exceeds limit.',
  engineKB: 500,
  besideKB: 0,
});

const report: PeersReport = {
  schema: 1,
  startedAt: '2026-11-22T10:00:00.000Z',
  machine: '2 × a processor',
  node: '20.20.2',
  temporalCli: '1.9.1',
  load: { before: 1, after: 2 },
  versions: [{ entrant: 'everloop', versions: 'everloop 0.2.0' }],
  turns: [run({ asked: 10, turns: 10 }), run({}), byValue],
  kills: [{ entrant: 'by value', effects: 2, nextRequestS: null, readyS: 1, error: null }],
  failures: [],
};

test('a run that the server ended says at which turn and why', () => {
  const row = toMarkdown(report)
    .split('\n')
    .find((line) => line.includes('91 of 100'));

  expect(row).toContain('by value');
  expect(row).toContain('Workflow history size exceeds limit.');
});

test('an agent that does not go on after a kill is shown as such, with its effects counted', () => {
  expect(toMarkdown(report)).toContain('| by value | 2 | 1.00 | not within 180 |');
});

test('each entrant is a line in both plots, with all that it stores and the turns that it reached', () => {
  const [bytes, ms] = toPlots(report);

  expect(bytes?.file).toBe('peers-bytes.svg');
  expect(ms?.file).toBe('peers-ms.svg');
  for (const plot of [bytes, ms]) expect(plot?.svg.match(/<polyline/g)).toHaveLength(2);
  expect(bytes?.svg).not.toContain('NaN');
});
