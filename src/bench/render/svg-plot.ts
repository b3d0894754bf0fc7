/** A plot without a library: lines and points over two axes, self-contained. */
export interface Plot {
  readonly title: string;
  readonly subtitle: string;
  readonly xTitle: string;
  readonly xTicks: readonly number[];
  /** Ascending; the axis runs from the first to the last. */
  readonly yTicks: readonly number[];
  readonly yScale: 'linear' | 'log';
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly color: string;
  /** true: drawn as dashes, for what others have published. */
  readonly isDashed: boolean;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const [WIDTH, HEIGHT] = [760, 420];
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 190, 64, 48];
const LABEL_HEIGHT = 15;

type Scale = (value: number) => number;

/** The x axis is logarithmic: ten turns and a thousand on one page. */
export function toSvg(plot: Plot): string {
  const x = logScale(plot.xTicks, LEFT, WIDTH - RIGHT);
  const yScale = plot.yScale === 'log' ? logScale : linearScale;
  const y = yScale(plot.yTicks, HEIGHT - BOTTOM, TOP);
  const labels = placeLabels(plot.series.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escape(plot.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 24, plot.title, 'font-size="15" font-weight="600" fill="#1f2328"'),
    text(LEFT, 43, plot.subtitle, 'fill="#59636e"'),
    ...plot.yTicks.map((tick) => gridLine(y(tick), String(tick))),
    ...plot.xTicks.map((tick) =>
      text(x(tick), HEIGHT - BOTTOM + 18, String(tick), 'text-anchor="middle" fill="#59636e"'),
    ),
    text(
      (LEFT + WIDTH - RIGHT) / 2,
      HEIGHT - 10,
      plot.xTitle,
      'text-anchor="middle" fill="#59636e"',
    ),
    ...plot.series.map((series, index) => drawSeries(series, { x, y }, labels[index] ?? 0)),
    '</svg>\n',
  ].join('\n');
}

function drawSeries(
  { name, color, isDashed, points }: Series,
  { x, y }: { readonly x: Scale; readonly y: Scale },
  labelY: number,
): string {
  const at = points.map(([px, py]) => [round(x(px)), round(y(py))] as const);
  const dashes = isDashed ? ' stroke-dasharray="5 4"' : '';
  const line = at.map((point) => point.join(',')).join(' ');
  const [endX, endY] = at.at(-1) ?? [0, 0];
  const labelX = endX + 14;
  return [
    `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"${dashes}/>`,
    ...(isDashed
      ? at.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${color}"/>`)
      : []),
    `<path d="M${endX + 4} ${endY} L${labelX - 4} ${round(labelY)}" stroke="${color}" stroke-width="0.7"/>`,
    text(labelX, labelY + 4, name, `fill="${color}"`),
  ].join('\n');
}

function gridLine(y: number, label: string): string {
  return [
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y)}" y2="${round(y)}" stroke="#e4e8ec"/>`,
    text(LEFT - 8, y + 4, label, 'text-anchor="end" fill="#59636e"'),
  ].join('\n');
}

/** Keeps labels apart, in the order of their lines. */
function placeLabels(wanted: readonly number[]): readonly number[] {
  const placed = [...wanted];
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  let lowest = -Infinity;
  for (const index of order) {
    lowest = Math.max(wanted[index] ?? 0, lowest + LABEL_HEIGHT);
    placed[index] = lowest;
  }
  return placed;
}

function linearScale(ticks: readonly number[], from: number, to: number): Scale {
  const [least, most] = endsOf(ticks);
  return (value) => from + ((value - least) / (most - least)) * (to - from);
}

function logScale(ticks: readonly number[], from: number, to: number): Scale {
  const [least, most] = endsOf(ticks).map(Math.log) as [number, number];
  return (value) => from + ((Math.log(value) - least) / (most - least)) * (to - from);
}

const endsOf = (ticks: readonly number[]): [number, number] => [ticks[0] ?? 0, ticks.at(-1) ?? 1];
const round = (value: number): number => Math.round(value * 10) / 10;
const escape = (value: string): string =>
  value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escape(content)}</text>`;
