import { toMarkdown, toText } from '../../src/bench/render/report-table';
import { figure, report, section } from './reports';

const linesOf = (text: string): readonly string[] => text.split('\n');

describe('the table', () => {
  test('says of each figure with a goal whether it was reached', () => {
    const figures = [
      figure({ name: 'quick', goal: { limit: 25, statistic: 'median' } }),
      figure({ name: 'slow', goal: { limit: 25, statistic: 'p95' } }),
      figure({ name: 'free' }),
    ];

    const lines = linesOf(toText(report(section({ figures }))));

    expect(lines.find((line) => line.startsWith('quick'))).toMatch(/≤ 25 +reached$/);
    expect(lines.find((line) => line.startsWith('slow'))).toMatch(/p95 ≤ 25 +not reached$/);
    expect(lines.find((line) => line.startsWith('free'))).toMatch(/31\.3$/);
  });

  test('knows goals that are a least', () => {
    const goal = { limit: 99, statistic: 'median', isLeast: true } as const;
    const figures = [
      figure({ name: 'most', unit: '%', count: 1, median: 99.5, goal }),
      figure({ name: 'some', unit: '%', count: 1, median: 60, goal }),
    ];

    const lines = linesOf(toText(report(section({ figures }))));

    expect(lines.find((line) => line.startsWith('most'))).toMatch(/≥ 99 +reached$/);
    expect(lines.find((line) => line.startsWith('some'))).toMatch(/≥ 99 +not reached$/);
  });

  test('shows the load beside the figures, and the machine once', () => {
    const text = toText(report(section({ figures: [figure({})] })));

    expect(text).toContain('load 0.5 before, 1.3 after');
    expect(text).toContain('2 × A CPU');
  });

  test('of one value shows no spread', () => {
    const [line] = linesOf(
      toText(report(section({ figures: [figure({ name: 'one', count: 1 })] }))),
    ).filter((each) => each.startsWith('one'));

    expect(line?.split(/ +/)).toEqual(['one', 'ms', '1', '20.0']);
  });

  test('as Markdown has a row of eight cells for each figure', () => {
    const markdown = toMarkdown(report(section({ figures: [figure({}), figure({})] })));

    const rows = linesOf(markdown).filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(4);
    expect(rows.every((row) => row.split('|').length === 10)).toBe(true);
  });
});
