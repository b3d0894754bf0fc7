import { toPlots } from '../../src/bench/render/plots';
import { toSvg } from '../../src/bench/render/svg-plot';
import { PEERS, PEERS_MEASURED_ON } from '../../src/bench/peers';
import { report, section } from './reports';

const pointsOf = (svg: string): readonly (readonly [number, number])[] =>
  [...svg.matchAll(/<polyline points="([^"]+)"/g)].flatMap(([, points = '']) =>
    points.split(' ').map((point) => point.split(',').map(Number) as [number, number]),
  );

test('a logarithmic axis puts equal factors at equal distances', () => {
  const svg = toSvg({
    title: 'T',
    subtitle: '',
    xTitle: 'x',
    xTicks: [1, 10, 100],
    yTicks: [1, 10, 100],
    yScale: 'log',
    series: [
      {
        name: 'line',
        color: '#000',
        isDashed: false,
        points: [
          [1, 100],
          [10, 10],
          [100, 1],
        ],
      },
    ],
  });

  const [first, middle, last] = pointsOf(svg);
  expect(middle?.[0]).toBeCloseTo(((first?.[0] ?? 0) + (last?.[0] ?? 0)) / 2, 0);
  expect(middle?.[1]).toBeCloseTo(((first?.[1] ?? 0) + (last?.[1] ?? 0)) / 2, 0);
});

test('names are escaped', () => {
  const plot = { subtitle: '', xTitle: '', xTicks: [1, 2], yTicks: [1, 2] } as const;

  const svg = toSvg({ ...plot, title: 'a < b & c', yScale: 'linear', series: [] });

  expect(svg).toContain('<title>a &lt; b &amp; c</title>');
});

test('both plots show every peer beside us and when the peers were measured', () => {
  const curves = (['bytes', 'ms'] as const).map((plot) => ({
    name: 'everloop',
    plot,
    points: [
      [1, 2],
      [10, 2],
    ] as const,
  }));

  const plots = toPlots(report(section({ curves })));

  expect(plots.map(({ file }) => file)).toEqual(['bench-bytes.svg', 'bench-ms.svg']);
  for (const { svg } of plots) {
    expect(svg).toContain(PEERS_MEASURED_ON);
    for (const { name } of [{ name: 'everloop' }, ...PEERS]) expect(svg).toContain(`>${name}<`);
    expect(pointsOf(svg).flat().every(Number.isFinite)).toBe(true);
  }
});

test('without curves there are no plots', () => {
  expect(toPlots(report(section({})))).toEqual([]);
});
